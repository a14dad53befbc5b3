import PhoneContract
public import Primitives
import SIP
import Store

/// What this node knows and the store may have lost: all of it, or what was written last before another server became its primary.
extension Switchboard {
  /// The lease is gone: nothing is done for any account until it is known who owns it.
  public mutating func suspendAll(now: Instant) -> [Action] {
    isPassive = true
    return withdrawAnnouncements()
      + accounts.keys.sorted().flatMap { id -> [Action] in
        let owned = accounts[id]?.fence ?? accounts[id]?.suspended
        accounts[id]?.suspended = owned
        return disown(id, now: now)
      }
  }

  /// What has not left yet would leave in the name of who this node was.
  private func withdrawAnnouncements() -> [Action] {
    calls.values.sorted { $0.id < $1.id }.flatMap { call in call.announcementsUnderWay.map { .withdraw(call.id, $0) } }
  }

  /// There is a lease again. Accounts that the store does not know, or knows as this node's, are written back; they are claimed like any
  /// other. The rest is somebody else's.
  mutating func resume() -> [Action] {
    accounts.keys.sorted().flatMap { id in accounts[id].flatMap { $0.suspended ?? $0.parted }.map { restore(id, by: $0) } ?? [] }
  }

  /// The store answers again after a break: whoever owns says so, or owned a moment ago, and whoever is a call's home. A guest's account
  /// may have to be written by its owner first.
  public mutating func reassert(now: Instant) -> [Action] {
    storeIsBack(now: now) + sayAll(now: now)
  }

  private mutating func sayAll(now: Instant) -> [Action] {
    guard !isPassive else { return [] }
    said = [:]
    let owned = accounts.keys.sorted().flatMap { id in accounts[id].flatMap { $0.fence ?? $0.parted }.map { restore(id, by: $0) } ?? [] }
    let guests = calls.values.filter { accounts[$0.account]?.fence == nil }.map(\.id).sorted()
    let over = sayEnds(now: now)
    let busy = Set(ended.recent(now: now).map(\.account)).union(calls.values.map(\.account)).sorted()
    return owned + over + guests.flatMap { assertPlaces(of: $0) + save($0) } + busy.map { readLines(of: $0) }
  }

  /// Of the calls that ended here a moment ago.
  mutating func sayEnds(now: Instant) -> [Action] {
    ended.recent(now: now).flatMap { sayOver($0.call, of: $0.account) } + endSlots(now: now)
  }

  /// A store that has lost the release of a line keeps it for a call that is over, or on another line.
  mutating func readLines(of id: AccountID) -> Action { storing(.whereabouts(id), then: .linesRead(id)) }

  mutating func linesRead(_ id: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard isHeard(.lines(id), reply, now: now), !isPassive, case .whereabouts(let found) = reply else { return [] }
    return found.calls.filter { $0.home == holder }.flatMap { call in
      Orphan(call, of: id).lines.flatMap { pay(owedRelease($0, of: call.id, id)) }
    }
  }

  mutating func restore(_ id: AccountID, by fence: Fence) -> [Action] {
    guard let known = accounts[id], !known.isRetired else { return [] }
    guard known.openWrites == 0 else {
      accounts[id]?.isRestoreDue = true
      return []
    }
    let saved = known.calls.sorted().compactMap { calls[$0] }.filter { $0.isRecorded && !mayHaveAnHeir($0) }
      .map { SavedCall(id: $0.id, home: fence.holder, record: $0.record) }
    let snapshot = Snapshot(
      account: known.account, version: known.version, registration: known.registration.record, calls: saved)
    return [storing(.restore(snapshot, by: fence), then: .restored(id, fence))] + saved.flatMap { assertPlaces(of: $0.id) }
  }

  /// Whether another node has adopted it, for all that this one knows, and has not said so to a store that has lost that.
  private func mayHaveAnHeir(_ call: Call) -> Bool { inDoubt.contains(call.id) && !heirs.isEmpty }

  /// The account as the owner wants it. → `writeEnded`
  mutating func writing(_ account: Account, expecting version: Version?, by fence: Fence?, then step: Step) -> Action {
    accounts[account.id]?.openWrites += 1
    return storing(.writeAccount(account, expecting: version, by: fence), then: step)
  }

  mutating func writeEnded(_ id: AccountID) -> [Action] {
    guard let open = accounts[id]?.openWrites else { return [] }
    accounts[id]?.openWrites = max(open - 1, 0)
    guard open <= 1, accounts[id]?.isRestoreDue == true else { return [] }
    accounts[id]?.isRestoreDue = false
    return accounts[id]?.fence.map { restore(id, by: $0) } ?? []
  }

  mutating func restored(_ id: AccountID, _ fence: Fence, _ reply: StoreReply, now: Instant) -> [Action] {
    guard isHeard(.restore(id, fence), reply, now: now) else {
      accounts[id]?.isRestoreUnheard = true
      return []
    }
    // What had been nobody's when it was said first, or missing, is this node's when it is said once more.
    let isRepeated = accounts[id]?.isRestoreUnheard == true
    let mayBeContested = reply == .granted || reply == .done && isRepeated
    accounts[id]?.isRestoreUnheard = false
    if reply == .fresh || reply == .done && isRepeated { letHomesSpeak(of: id, now: now) }
    guard accounts[id]?.suspended == fence else {
      guard accounts[id]?.fence == fence else { return [] }
      return reply == .fenced ? [.lost(id)] : mayBeContested ? registerAnew(id, now: now) : []
    }
    accounts[id]?.suspended = nil
    accounts[id]?.isContested = mayBeContested
    // The store knows it, and may lose it once more before somebody has claimed it from there.
    if reply != .fenced, reply != .full { part(from: id, fence, now: now) } else { forgetGuest(id) }
    return []
  }

  /// What the store refused of an account that it did not know, it is told again within a second.
  mutating func letHomesSpeak(of id: AccountID, now: Instant) {
    justRestored.insert(id)
    deadlines.set(now + Debts.pause + Settling.look, for: .restored(id))
  }

  /// Calls that have come meanwhile claim their slot.
  mutating func homesHaveSpoken(of id: AccountID, now: Instant) -> [Action] {
    guard !settling.isAsked(now: now) else {
      deadlines.set(now + Settling.look, for: .restored(id))
      return []
    }
    justRestored.remove(id)
    let waiting = (accounts[id]?.calls ?? []).compactMap { calls[$0] }
    return settling.isSettled ? waitingForSlot(waiting).flatMap { claimSlot($0, isRepeated: true) } : []
  }

  /// Somebody else may have had it meanwhile, and removed the binding.
  private mutating func registerAnew(_ id: AccountID, now: Instant) -> [Action] {
    guard let known = accounts[id], !known.isRetired, !known.registration.isBusy else { return [] }
    return beginAsNextOwner(of: id, isContested: true, now: now) + takeTurn(id, now: now)
  }
}
