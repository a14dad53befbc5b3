import Primitives
import SIP
import Store

/// Which account a provider's request is for.
extension Switchboard {
  /// Request-URI user = TOKEN; else, among the accounts at the provider it came from, the one and only that the Request-URI,
  /// P-Called-Party-ID or To names.
  func account(for request: Request, from flow: Flow) -> AccountState? {
    let called = user(of: request.uri)
    if let known = called.flatMap({ AccountID(token: $0) }).flatMap({ accounts[$0] }) { return known }
    let party = request.message.value(.pCalledPartyID).flatMap { try? NameAddress($0) }.flatMap { user(of: $0.uri) }
    let to = (try? request.to).flatMap { user(of: $0.uri) }
    let names = [called, party, to].compactMap(\.self)
    let here = providers.accounts(at: flow.remote.ip)
    for name in names {
      let named = here.filter { accounts[$0]?.isCalled(name) == true }
      if named.count == 1, let id = named.first { return accounts[id] }
    }
    return nil
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
