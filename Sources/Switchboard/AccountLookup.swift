import Primitives
import SIP
import Store

/// Which account a provider's request is for.
extension Switchboard {
  /// Request-URI user = TOKEN; else, among the accounts at the provider it came from, the one and only that the Request-URI,
  /// P-Called-Party-ID or To names; else, where they name a number that nobody here knows, the one and only that is registered there.
  func account(for request: Request, from flow: Flow) -> AccountState? {
    let called = user(of: request.uri)
    // Not who else is called like that: an account of another node, or one that is gone.
    if let token = called.flatMap({ AccountID(token: $0) }) { return accounts[token] }
    let party = request.message.value(.pCalledPartyID).flatMap { try? NameAddress($0) }.flatMap { user(of: $0.uri) }
    let to = (try? request.to).flatMap { user(of: $0.uri) }
    let names = [called, party, to].compactMap(\.self)
    let here = providers.accounts(at: flow.remote.ip)
    for name in names {
      let named = here.filter { accounts[$0]?.isCalled(name) == true }
      if named.count == 1, let id = named.first { return accounts[id] }
    }
    return onlyAccount(at: flow.remote, among: here, called: called)
  }

  /// A trunk sends the number that was dialled (DID), which nothing here tells of. One account that is registered at that very server
  /// is meant, else one at that address. A TOKEN names its account or, where that is gone, nobody.
  private func onlyAccount(at remote: SocketAddress, among here: Set<AccountID>, called: Bytes?) -> AccountState? {
    guard let called, AccountID(token: called) == nil else { return nil }
    let registered = here.compactMap { accounts[$0] }.filter { $0.registration.status.state == .registered }
    let same = registered.filter { $0.registration.binding?.target.address == remote }
    return [same, registered].first { $0.count == 1 }?.first
  }

  private func user(of uri: Slice) -> Bytes? { (try? URI(uri))?.unescapedUser }
}

extension AccountState {
  /// Whether the name is the account's user or one of the identities that the provider gave it (RFC 7315 §4.1).
  fileprivate func isCalled(_ name: Bytes) -> Bool {
    if name.elementsEqual(account.user.utf8) { return true }
    return registration.binding?.associatedURIs.contains { value in
      (try? NameAddress(value[...])).flatMap { try? URI($0.uri) }?.unescapedUser == name
    } ?? false
  }
}
