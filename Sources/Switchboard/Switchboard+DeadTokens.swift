import Primitives
import Store

/// A push address that its service has given up.
struct DeadToken: Sendable, Equatable {
  let account: AccountID
  let device: DeviceID
  let push: PushAddress
  var tries = 0

  /// Others may write in between, but not for ever.
  static let mostTries = 4
}

/// The push service has spoken: until the device sends another token it gets no announcements.
extension Switchboard {
  mutating func tokenGone(_ dead: DeadToken) -> [Action] {
    guard let known = accounts[dead.account], let changed = known.account.losing(dead) else { return [] }
    accounts[dead.account]?.account = changed
    return [storing(.writeAccount(changed, expecting: known.version, by: .alone), then: .tokenGoneWritten(dead))]
  }

  mutating func tokenGoneWritten(_ dead: DeadToken, _ reply: StoreReply) -> [Action] {
    switch reply {
    case .written(let version):
      accounts[dead.account]?.version = version
      if let changed = accounts[dead.account]?.account.losing(dead) { accounts[dead.account]?.account = changed }
    case .conflict where dead.tries < DeadToken.mostTries:
      var again = dead
      again.tries += 1
      return [storing(.account(dead.account), then: .tokenGoneRead(again))]
    default: break
    }
    return []
  }

  mutating func tokenGoneRead(_ dead: DeadToken, _ reply: StoreReply) -> [Action] {
    guard case .account(let stored?) = reply, let changed = stored.account.losing(dead) else { return [] }
    return [storing(.writeAccount(changed, expecting: stored.version, by: .alone), then: .tokenGoneWritten(dead))]
  }
}

extension Account {
  fileprivate func losing(_ dead: DeadToken) -> Account? { losingPush(dead.push, of: dead.device) }
}
