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
    guard isRecording, !isPassive, !inDoubt.contains(id), let call = calls[id], call.slot == nil else { return [] }
    return [storing(.saveCall(call.account, id, call.record, home: holder), then: step ?? .callWritten(id))]
  }

  /// The store has it. Where it does not answer, the home goes on all the same: while its lease holds nobody else may.
  mutating func callSaved(_ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard reply == .fenced || (!isPassive && !inDoubt.contains(id)) else { return [] }
    let waiting = reply == .fenced ? [] : outboxes.removeValue(forKey: id) ?? []
    let written = callWritten(id, reply, now: now)
    // What came while it waited is done too, before the call is over.
    let (last, others) = (waiting.filter { $0 == .over }.prefix(1), waiting.filter { $0 != .over })
    return written + act(others + last, of: id, now: now) + (waiting.isEmpty ? [] : save(id))
  }

  mutating func callWritten(_ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .fenced: return yield(id, now: now)
    case .unavailable: if calls[id] != nil { owe(.call(id), now: now) }
    // The store has forgotten the account: its owner tells it, then its homes do.
    case .noAccount:
      guard let account = calls[id]?.account else { return [] }
      if let fence = accounts[account]?.fence { return restore(account, by: fence) }
      owe(.call(id), now: now)
    default: break
    }
    return []
  }

  /// Another node is the call's home: here nothing more is said about it.
  mutating func yield(_ id: CallID, now: Instant) -> [Action] {
    guard let call = calls[id] else { return [] }
    let unsaid = (outboxes[id] ?? []).compactMap { if case .reply(let request, _) = $0 { request } else { nil } }
    let transaction: [Action] = callOfTransaction[call.transaction] == id ? [.drop(call.transaction)] : []
    drop(call)
    return transaction + (unsaid + call.openRequests).map { .reply($0, .problem(.unavailable(retryAfter: 1))) }
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
    guard let held = call.held, let merge = call.identity?.digest else { return claims }
    let until = held.protection + Self.slotGrace
    return claims + [storing(.claimHeld(call.account, id, merge: merge, until: until, home: holder), then: .callWritten(id))]
  }

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
  /// Whether the store has to have the call before this is done.
  var isRecordedFirst: Bool {
    switch self {
    case .announce, .accept, .stop: true
    case .respond(let status): status >= 300
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
