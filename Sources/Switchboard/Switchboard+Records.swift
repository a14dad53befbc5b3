import PhoneContract
import Primitives
import SIP
import Store

/// What the store has to know so that another node can go on.
extension Switchboard {
  /// A single node without a cluster has nobody who could take anything over.
  public var isRecording: Bool { holder != .alone }

  /// The call as it is now. Where its next home would find nothing new in it nothing is written, unless a step waits for it.
  mutating func save(_ id: CallID, then step: Step? = nil) -> [Action] {
    guard isRecording, !isPassive, !inDoubt.contains(id), let call = calls[id], call.isRecorded else { return [] }
    let record = call.asInherited.record
    guard step != nil || said[id] != record else { return [] }
    said[id] = record
    if step != nil { outboxes[id]?.recordLeft() }
    let command = StoreCommand.saveCall(call.account, id, record, fixed: call.fixedLength, home: holder)
    return [storing(command, then: step ?? .callWritten(id))]
  }

  private mutating func note(_ reply: StoreReply, ofSaving id: CallID) {
    switch reply {
    case .done, .granted: break
    default: said[id] = nil
    }
  }

  /// The store has it. Where it does not answer twice, the home goes on all the same, once it is sure that nobody else may.
  mutating func callSaved(_ id: CallID, isRepeated: Bool, _ reply: StoreReply, now: Instant) -> [Action] {
    note(reply, ofSaving: id)
    guard reply == .fenced || (!isPassive && !inDoubt.contains(id)) else { return [] }
    if reply == .unavailable, let outbox = outboxes[id] {
      guard isRepeated else { return saveAgain(id) }
      guard footing.bears(unheardSince: outbox.unheardSince) else {
        outboxes[id]?.unheardSince = outbox.unheardSince ?? now
        owe(.outbox(id), now: now)
        return []
      }
    }
    let written = callWritten(id, reply, now: now)
    return reply == .fenced ? written : written + actOn(outbox: id, all: reply == .unavailable && footing.isUndisputed, now: now)
  }

  /// What came while the record was on its way is done too, before the call is over, unless it needs another one first.
  private mutating func actOn(outbox id: CallID, all: Bool, now: Instant) -> [Action] {
    guard var outbox = outboxes.removeValue(forKey: id) else { return [] }
    let unsent = outbox.withdrawUnsent()
    let ready = all ? outbox.takeAll() : outbox.take()
    if !outbox.actions.isEmpty { outboxes[id] = outbox }
    let (last, others) = (ready.filter { $0 == .over }.prefix(1), ready.filter { $0 != .over })
    let done = act(others + last, of: id, now: now)
    // With what doing it has changed: a BYE has its number.
    let saved = outbox.actions.isEmpty ? (ready.isEmpty ? [] : save(id)) : save(id, then: .saved(id, isRepeated: false))
    return done + saved
      + unsent.flatMap { announced(id, $0, .notSent, now: now) }
  }

  mutating func saveAgain(_ id: CallID) -> [Action] { save(id, then: .saved(id, isRepeated: true)) }

  mutating func callWritten(_ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    note(reply, ofSaving: id)
    switch reply {
    case .fenced: return seekHome(of: id)
    // Its slot is one of the past: another node had it, and ended it, before the store heard of this one.
    case .merged, .retransmission: return yield(id, now: now)
    // A full store has it as it was, until there is room.
    case .unavailable, .full: if calls[id] != nil { owe(.call(id), now: now) }
    // The store has gone back to a call before, whose home gives the slot back once more.
    case .busy: if calls[id]?.held != nil { owe(.call(id), now: now) }
    // The store has forgotten the account: its owner tells it, then its homes do.
    case .noAccount:
      guard let account = calls[id]?.account else { return [] }
      if let fence = accounts[account]?.fence { return restore(account, by: fence) }
      owe(.call(id), now: now)
    default: break
    }
    return []
  }

  /// The store has another home for it: one that lives, or a dead one from which it was adopted here before the store lost that.
  mutating func seekHome(of id: CallID) -> [Action] {
    guard let call = calls[id] else { return [] }
    inDoubt.insert(id)
    return [storing(.whereabouts(call.account), then: .homeSought(id))]
  }

  mutating func homeSought(_ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .whereabouts(let found) = reply, let home = found.calls.first(where: { $0.id == id })?.home, home != holder,
      !isAlive(home)
    else { return yield(id, now: now) }
    return move(id, from: home)
  }

  /// Another node is the call's home: here nothing more is said about it.
  ///
  /// - Parameter final: what the caller hears where perhaps nobody is.
  mutating func yield(_ id: CallID, final: Int? = nil, now: Instant) -> [Action] {
    guard let call = calls[id] else { return [] }
    let last: Action = final.map { .respond(call.transaction, response(to: call, $0, sdp: nil)) } ?? .drop(call.transaction)
    let isOpen = callOfTransaction[call.transaction] == id
    let open = call.openRequests + (outboxes[id]?.actions ?? []).compactMap(\.answeredRequest)
    drop(call)
    if isOpen, final == nil { callOfTransaction[call.transaction] = nil }
    let passed =
      unheardCancel(of: call).flatMap { cancel in
        final == nil
          ? elsewhere(cancel.request, cancel.id, call.flow)
          : [answer(to: cancel.request, cancel.id, tag: call.localTag)]
      } ?? []
    return (isOpen ? [last] : []) + open.map { .reply($0, .problem(.unavailable(retryAfter: 1))) } + passed
  }

  /// Its caller has left, and the other home cannot know that.
  func unheardCancel(of call: Call) -> (request: Request, id: ServerTransactionID)? {
    guard call.refused == 487, let cancel = call.cancel, let id = try? ServerTransactionID(cancel) else { return nil }
    return (cancel, id)
  }

  /// The slot and the lines that it has, said once more: the store may have forgotten them.
  mutating func assertPlaces(of id: CallID) -> [Action] {
    guard isRecording, !isPassive, !inDoubt.contains(id), let call = calls[id], call.slot == nil else { return [] }
    let lines =
      (call.held?.fetched.map { DeviceLine(device: $0.key, line: $0.value) } ?? [])
      + (call.isAnswered ? [call.answeredOn].compactMap(\.self) : [])
    let claims = lines.sorted().map { line in
      storing(.claimLine(call.account, line.device, line: line.line.rawValue, id, home: holder), then: .callWritten(id))
    }
    return call.held == nil ? claims : claims + claimSlot(of: call, then: .callWritten(id))
  }

  /// The slot that it has, or waits for.
  mutating func claimSlot(of call: Call, then step: Step) -> [Action] {
    guard let merge = call.mergeKey else { return [] }
    return [storing(.claimHeld(call.account, call.id, merge: merge, until: slotEnd(of: call), home: holder), then: step)]
  }

  func slotEnd(of call: Call) -> Instant { (call.held?.protection ?? call.began + settings.protection) + Self.slotGrace }

  /// How much longer than the call may ring its slot is its own.
  static let slotGrace = Duration.seconds(60)

  /// The registration as it is now; only an outcome is worth a write.
  mutating func saveRegistration(_ id: AccountID) -> [Action] {
    guard isRecording, let known = accounts[id], let fence = known.fence, !known.isRetired, !known.registration.isBusy else { return [] }
    return [storing(.saveRegistration(id, known.registration.record, by: fence), then: .registrationSaved(id, fence))]
  }

  mutating func registrationSaved(_ id: AccountID, _ fence: Fence, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .fenced: return lost(id, by: fence)
    case .noAccount: return accounts[id]?.fence.map { restore(id, by: $0) } ?? []
    default:
      if accounts[id]?.fence != nil { _ = isHeard(.registration(id), reply, now: now) }
      return []
    }
  }
}

extension Call.Action {
  /// Whose answer it is.
  fileprivate var answeredRequest: PhoneRequestID? { if case .reply(let request, _) = self { request } else { nil } }

  /// Whether the caller's INVITE ends with it.
  var isFinal: Bool {
    switch self {
    case .accept: true
    case .respond(let status): status >= 300
    default: false
    }
  }

  /// Whether the store has to have the call before this is done. With a BYE goes the answer to the phone that has hung up: it may rely on
  /// that.
  var isRecordedFirst: Bool {
    switch self {
    case .announce, .stop, .bye: true
    default: isFinal
    }
  }
}

extension Call {
  /// What the next home makes of it all the same: an announcement that may have left counts as one that has, and how long the phone has
  /// been away is counted anew.
  fileprivate var asInherited: Call {
    var call = self
    call.held?.rings = held?.rings.mapValues { $0 == .intended ? .announced : $0 } ?? [:]
    call.talk?.feed.awaySince = nil
    return call
  }

  /// Whether the store has it, or shall.
  var isRecorded: Bool { slot == nil || isWaitRecorded }

  /// Requests of phones that wait for something of this call.
  var openRequests: [PhoneRequestID] {
    let unconfirmed: [PhoneRequestID] = if case .unconfirmed(let requests, _) = talk?.phase { requests } else { [] }
    return (held?.waiting.map(\.request) ?? []) + unconfirmed + (talk?.feed.readers.map(\.request) ?? [])
  }
}
