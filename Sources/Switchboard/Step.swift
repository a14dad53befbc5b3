import PhoneContract
public import Primitives
public import Store

/// What goes on when the store has replied.
enum Step: Sendable, Equatable {
  case hold(CallID, isRepeated: Bool)
  case fetch(AccountID, CallID, PhoneRequestID, DeviceLine, FetchStage)
  case saved(CallID, isRepeated: Bool)
  case callWritten(CallID)
  case owed(Owed)
  case slotEnded(AccountID, CallID)
  case overSought(AccountID, CallID)

  case setUp(SetUpJob)
  case setUpOwned(SetUpJob, by: Holder)
  case setUpWritten(SetUpJob, Account, by: Fence?)
  case claimed(SetUpJob, Account, Version, by: Holder)
  case claimedLate(AccountID, by: Holder)
  case acceptedLate(SetUpJob)
  case acceptedLateWritten(SetUpJob, Account, by: Fence)
  case change(AccountChange)
  case changed(AccountChange, Account, by: Fence)
  case retiredHomes(AccountID)
  case accountRemoved(AccountID)
  case leftoverRead(AccountID)

  case orphans(AccountID, of: NodeID?)
  case adopted(Orphan)
  case moved(CallID, from: Holder, tries: Int)
  case movedSought(CallID, from: Holder, tries: Int)
  case homeSought(CallID)
  case movedHeld(CallID, from: Holder, tries: Int)
  case visited(Visit)
  case visitedRegistration(Visit, StoreReply.Stored)
  case linesRead(AccountID)
  case released(AccountID, Fence)
  case registrationSaved(AccountID, Fence)
  case restored(AccountID, Fence)
}

extension Switchboard {
  /// The store has done what `tag` names, or could not.
  public mutating func storeReplied(_ tag: StoreTag, _ reply: StoreReply, now: Instant) -> [Action] {
    goOn(tag, reply, now: now) + catchUp(now: now)
  }

  private mutating func goOn(_ tag: StoreTag, _ reply: StoreReply, now: Instant) -> [Action] {
    switch steps.removeValue(forKey: tag) {
    case .hold(let call, let isRepeated): return slotClaimed(call, isRepeated: isRepeated, reply, now: now)
    case .fetch(let account, let call, let id, let line, let stage):
      return lineClaimed(account, call, id, line, stage, reply, now: now)
    case .saved(let call, let isRepeated): return callSaved(call, isRepeated: isRepeated, reply, now: now)
    case .callWritten(let call): return callWritten(call, reply, now: now)
    case .owed(let owed): return heard(owed, reply, now: now)
    case .overSought(let account, let call): return overSought(call, of: account, reply, now: now)
    case .slotEnded(let account, let call): return slotEnded(call, of: account, reply, now: now)
    case .setUp(let job): return setUpRead(job, reply, now: now)
    case .setUpOwned(let job, let claimer): return setUpOwned(job, by: claimer, reply, now: now)
    case .setUpWritten(let job, let account, let fence):
      return setUpWritten(job, account, by: fence, reply, now: now) + writeEnded(account.id)
    case .claimed(let job, let account, let version, let claimer):
      return ownerClaimed(job, account, version, by: claimer, reply, now: now)
    case .claimedLate(let account, let claimer): return claimedLate(account, by: claimer, reply, now: now)
    case .acceptedLate(let job): return acceptedLate(job, reply, now: now)
    case .acceptedLateWritten(let job, let account, let fence):
      return acceptedLateWritten(job, account, by: fence, reply, now: now) + writeEnded(account.id)
    case .change(let change): return changeRead(change, reply, now: now)
    case .changed(let change, let account, let fence):
      return changeWritten(change, account, by: fence, reply, now: now) + writeEnded(account.id)
    case .retiredHomes(let account): return retiredHomes(account, reply, now: now)
    case .accountRemoved(let account): return retiredRemoved(account, reply, now: now)
    case .leftoverRead(let account): return leftoverRead(account, reply, now: now)
    case .orphans(let account, let node): return orphansRead(account, node, reply, now: now)
    case .adopted(let orphan): return callAdopted(orphan, reply, now: now)
    case .movedSought(let call, let former, let tries): return movedSought(call, from: former, tries: tries, reply, now: now)
    case .homeSought(let call): return homeSought(call, reply, now: now)
    case .movedHeld(let call, let former, let tries): return movedHeld(call, from: former, tries: tries, reply, now: now)
    case .moved(let call, let former, let tries): return callMoved(call, from: former, tries: tries, reply, now: now)
    case .visited(let visit): return visitRead(visit, reply, now: now)
    case .visitedRegistration(let visit, let stored): return visitRead(visit, stored, reply, now: now)
    case .linesRead(let account): return linesRead(account, reply, now: now)
    case .released(let account, let fence): return ownerReleased(account, fence, reply, now: now)
    case .registrationSaved(let account, let fence): return registrationSaved(account, fence, reply, now: now)
    case .restored(let account, let fence): return restored(account, fence, reply, now: now)
    case nil: return []
    }
  }
}
