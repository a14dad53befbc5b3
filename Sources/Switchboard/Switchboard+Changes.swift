import PhoneContract
import Primitives
import SIP
import Store

/// A change of an account that is no set-up, on its way into the store. Only the owner writes; what it does not know yet it reads.
struct AccountChange: Sendable, Equatable {
  enum What: Sendable, Equatable {
    case push(PushAddress)
    /// The push service has given the address up: until the device sends another one it gets no announcements.
    case tokenGone(PushAddress)
    /// With the last device the account goes too.
    case removal
  }

  let account: AccountID
  let device: DeviceID
  let what: What
  /// Who waits for it.
  var request: PhoneRequestID?
  var tries = 0

  /// Others may write in between, and answers be lost, but not for ever.
  static let mostTries = 4

  /// nil: there is nothing to change.
  func made(in account: Account, now: Instant) -> Account? {
    switch what {
    case .push(let push): account.settingPush(push, of: device, now: now)?.account
    case .tokenGone(let push): account.losingPush(push, of: device)
    case .removal: account.removing(device)
    }
  }

  /// What whoever asked for it is told where nothing is to be changed. A removal whose answer was lost was done the first time.
  var nothingToDo: PhoneReply {
    switch what {
    case .push, .tokenGone: .problem(.notSetUp)
    case .removal: tries > 0 ? .done : .problem(.noSuchDevice)
    }
  }
}

extension Switchboard {
  mutating func make(_ change: AccountChange, now: Instant) -> [Action] {
    guard let known = accounts[change.account], !known.isRetired else { return answer(change, .problem(.notSetUp)) }
    let write = write(change, in: known.account, known.version, now: now)
    // It counts from now on, also while the store is away, and for a call of another node's account.
    if case .tokenGone = change.what, let changed = change.made(in: known.account, now: now) { accounts[change.account]?.account = changed }
    return write
  }

  private mutating func write(_ change: AccountChange, in account: Account, _ version: Version, now: Instant) -> [Action] {
    guard let fence = accounts[change.account]?.fence else { return answer(change, .problem(.unavailable(retryAfter: 1))) }
    guard let changed = change.made(in: account, now: now) else { return answer(change, change.nothingToDo) }
    return [writing(changed, expecting: version, by: fence, then: .changed(change, changed, by: fence))]
  }

  mutating func changeWritten(_ change: AccountChange, _ account: Account, by fence: Fence, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .written(let version): return learn(account, version, now: now) + answer(change, .done)
    case .conflict, .unavailable: return readAgain(change)
    case .fenced: return answer(change, .problem(.unavailable(retryAfter: 1))) + lost(change.account, by: fence)
    default: return answer(change, .problem(.unavailable(retryAfter: 1)))
    }
  }

  private mutating func readAgain(_ change: AccountChange) -> [Action] {
    guard change.tries < AccountChange.mostTries else { return answer(change, .problem(.unavailable(retryAfter: 1))) }
    var again = change
    again.tries += 1
    return [storing(.account(change.account), then: .change(again))]
  }

  mutating func changeRead(_ change: AccountChange, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .account(let stored) = reply else { return answer(change, .problem(.unavailable(retryAfter: 1))) }
    if let stored { return learn(stored.account, stored.version, now: now) + write(change, in: stored.account, stored.version, now: now) }
    guard let known = accounts[change.account], !known.isRetired, let fence = known.fence else { return answer(change, change.nothingToDo) }
    // The store has forgotten it.
    return restore(change.account, by: fence) + readAgain(change)
  }

  private func answer(_ change: AccountChange, _ reply: PhoneReply) -> [Action] { change.request.map { [.reply($0, reply)] } ?? [] }

  /// The store has seen a newer owner than this fence's. That may be this node again.
  func lost(_ id: AccountID, by fence: Fence?) -> [Action] { accounts[id]?.fence.map { $0 == fence } == true ? [.lost(id)] : [] }

  /// The account as it is in the store from now on. Calls of devices that are gone end.
  mutating func learn(_ account: Account, _ version: Version, now: Instant) -> [Action] {
    guard let known = accounts[account.id] else { return [] }
    guard !known.isRetired else { return learn(ofRetired: account, version, known.writes) }
    let gone = known.account.devices.map(\.id).filter { account.device($0) == nil }
    let ended = lose(gone, account: account.id, now: now)
    accounts[account.id]?.account = account
    accounts[account.id]?.version = version
    guard known.fence != nil else { return ended }
    return ended + (account.devices.isEmpty ? retire(account.id, now: now) : registerIfChanged(account, since: known, now: now))
  }

  private mutating func learn(ofRetired account: Account, _ version: Version, _ fence: Fence?) -> [Action] {
    accounts[account.id]?.version = version
    guard !account.devices.isEmpty, let fence else { return [] }
    accounts[account.id]?.reborn = AccountState.Reborn(account: account, version: version, fence: fence)
    return []
  }

  private mutating func registerIfChanged(_ account: Account, since known: AccountState, now: Instant) -> [Action] {
    let new = registrationSettings(of: account)
    guard new != known.registration.settings || !account.isSought(like: known.account) else { return [] }
    return withRegistration(account.id, now: now) { $0.renew(new, now: now) } + takeTurn(account.id, now: now)
  }
}

extension Account {
  /// Whether the registrar is looked for in the same way.
  fileprivate func isSought(like other: Account) -> Bool { transport == other.transport && outboundProxy == other.outboundProxy }
}
