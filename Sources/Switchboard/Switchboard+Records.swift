import PhoneContract
import Primitives
import SIP
import Store

/// What the store has to know so that another node can go on.
extension Switchboard {
  /// A single node without a cluster has nobody who could take anything over.
  var isRecording: Bool { holder != .alone }

  /// The call as it is now.
  mutating func save(_ id: CallID, then step: Step? = nil) -> [Action] {
    guard isRecording, let call = calls[id], call.slot == nil else { return [] }
    return [storing(.saveCall(call.account, id, call.record, home: holder), then: step ?? .callWritten(id))]
  }

  /// The store has it. Where it does not answer, the home goes on all the same: while its lease holds nobody else may.
  mutating func callSaved(_ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    let waiting = outboxes.removeValue(forKey: id) ?? []
    return reply == .fenced ? drop(id) : act(waiting, of: id, now: now) + save(id)
  }

  mutating func callWritten(_ id: CallID, _ reply: StoreReply) -> [Action] { reply == .fenced ? drop(id) : [] }

  /// Another node is the call's home: here nothing more is said about it.
  mutating func drop(_ id: CallID) -> [Action] {
    guard let call = calls[id] else { return [] }
    outboxes[id] = nil
    return [.drop(call.transaction)] + call.openRequests.map { .reply($0, .problem(.unavailable(retryAfter: 1))) } + forget(call)
  }

  /// The registration as it is now; only an outcome is worth a write.
  mutating func saveRegistration(_ id: AccountID) -> [Action] {
    guard isRecording, let known = accounts[id], let fence = known.fence, !known.isRetired, !known.registration.isBusy else { return [] }
    return [storing(.saveRegistration(id, known.registration.record, by: fence), then: .registrationSaved(id))]
  }

  mutating func registrationSaved(_ id: AccountID, _ reply: StoreReply) -> [Action] {
    switch reply {
    case .fenced: [.lost(id)]
    case .noAccount: accounts[id]?.fence.map { restore(id, by: $0) } ?? []
    default: []
    }
  }
}

extension Call.Action {
  /// Whether the store has to have the call before this is done.
  var isRecordedFirst: Bool {
    switch self {
    case .announce, .accept, .respond(603): true
    default: false
    }
  }
}

extension Call {
  /// Requests of phones that wait for something of this call.
  var openRequests: [PhoneRequestID] {
    let unconfirmed: [PhoneRequestID] = if case .unconfirmed(let requests, _) = talk?.phase { requests } else { [] }
    return (held?.waiting.map(\.request) ?? []) + unconfirmed + (talk?.feed.readers.map(\.request) ?? [])
  }
}
