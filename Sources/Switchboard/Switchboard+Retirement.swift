import PhoneContract
import Primitives
import SIP
import Store

/// The end of an account. Its last device has left, and the store has it without devices: the binding goes, then the account. Whoever
/// becomes its owner meanwhile goes on with that, so that no binding stays behind.
extension Switchboard {
  mutating func retire(_ id: AccountID, now: Instant) -> [Action] {
    accounts[id]?.isRetired = true
    accounts[id]?.account.devices = []
    return withRegistration(id, now: now) { $0.remove(now: now) }
  }

  /// The binding is gone, or out of reach.
  mutating func deregistered(_ id: AccountID, now: Instant) -> [Action] {
    guard let known = accounts[id] else { return [] }
    deadlines.set(nil, for: .registration(id))
    let isOver = !known.isRetired || known.reborn != nil
    return [.note(.deregistered(id))] + (isOver ? finish(id, now: now) : removeRetired(id))
  }

  /// With the account what the store has of its calls goes too: those that other nodes have end first.
  mutating func removeRetired(_ id: AccountID) -> [Action] {
    guard let known = accounts[id], known.isRetired, known.fence != nil else { return [] }
    return isRecording ? [storing(.whereabouts(id), then: .retiredHomes(id))] : removeNow(id)
  }

  mutating func retiredHomes(_ id: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard accounts[id]?.isRetired == true, isHeard(.removeAccount(id), reply, now: now) else { return [] }
    guard accounts[id]?.reborn == nil else { return finish(id, now: now) }
    if case .whereabouts(let found) = reply, found.calls.contains(where: { $0.home != holder }) {
      owe(.removeAccount(id), now: now)
      return adoptCalls(of: id, from: nil)
    }
    return removeNow(id)
  }

  private mutating func removeNow(_ id: AccountID) -> [Action] {
    guard let known = accounts[id], let fence = known.fence else { return [] }
    return [storing(.removeAccount(id, expecting: known.version, by: fence), then: .accountRemoved(id))]
  }

  mutating func retiredRemoved(_ id: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard accounts[id]?.isRetired == true, isHeard(.removeAccount(id), reply, now: now) else { return [] }
    guard reply == .conflict, accounts[id]?.reborn == nil else { return finish(id, now: now) }
    return [storing(.account(id), then: .leftoverRead(id))]
  }

  /// Somebody wrote it in between, or it has been removed by a command whose answer was lost.
  mutating func leftoverRead(_ id: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard accounts[id]?.isRetired == true, isHeard(.removeAccount(id), reply, now: now) else { return [] }
    guard case .account(let stored?) = reply else { return finish(id, now: now) }
    let learnt = learn(stored.account, stored.version, now: now)
    return learnt + (stored.account.devices.isEmpty ? removeRetired(id) : finish(id, now: now))
  }

  /// Nothing is left of it, or it begins anew.
  private mutating func finish(_ id: AccountID, now: Instant) -> [Action] {
    guard let gone = accounts.removeValue(forKey: id) else { return [] }
    let paced = withPacing(gone.account.provider, now: now) { $0.withdraw(id, now: now) }
    providers.leave(id, provider: gone.account.provider)
    guard let reborn = gone.reborn else { return paced + [.lost(id)] }
    let begun = begin(reborn.account, reborn.version, reborn.fence, now: now)
    accounts[id]?.calls = gone.calls
    return paced + begun
  }
}
