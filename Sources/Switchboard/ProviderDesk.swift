import Primitives
import SIP
import Store

/// What is known of the providers: their addresses, which of their servers answer, and how fast they may be asked.
struct ProviderDesk: Sendable {
  /// One provider, named by the registrar of its accounts.
  struct Provider: Sendable {
    var pacing: Pacing<AccountID>
    var greyList = GreyList()
    var accounts: Set<AccountID> = []
  }

  var providers: [Bytes: Provider] = [:]
  private var addresses: [AccountID: Set<IPAddress>] = [:]
  private var accountsAt: [IPAddress: Set<AccountID>] = [:]

  /// Whether a message from there may be about the account.
  func isProvider(_ address: IPAddress, of account: AccountID) -> Bool { addresses[account]?.contains(address) ?? false }

  /// Whether anybody is registered there.
  func isProvider(_ address: IPAddress) -> Bool { accountsAt[address] != nil }

  func accounts(at address: IPAddress) -> Set<AccountID> { accountsAt[address] ?? [] }

  /// Addresses that DNS once gave for the provider stay good: calls come from all of its servers.
  mutating func learn(_ found: [IPAddress], of account: AccountID) {
    guard (addresses[account]?.count ?? 0) + found.count <= Self.mostAddresses else { return }
    addresses[account, default: []].formUnion(found)
    for address in found { accountsAt[address, default: []].insert(account) }
  }

  mutating func join(_ account: AccountID, provider: Bytes, now: Instant) {
    providers[provider, default: Provider(pacing: Pacing(now: now))].accounts.insert(account)
  }

  mutating func leave(_ account: AccountID, provider: Bytes) {
    for address in addresses.removeValue(forKey: account) ?? [] {
      accountsAt[address]?.remove(account)
      if accountsAt[address]?.isEmpty == true { accountsAt[address] = nil }
    }
    providers[provider]?.accounts.remove(account)
    if providers[provider]?.accounts.isEmpty == true { providers[provider] = nil }
  }

  /// Of one account's provider: more servers than any has.
  private static let mostAddresses = 128
}

extension Account {
  /// Accounts of one registrar share its pacing and what is known of its servers.
  var provider: Bytes { Array(registrar.lowercased().utf8) }
}
