import PhoneContract
import Primitives
import SIP
import Store

/// A device's line.
struct DeviceLine: Sendable, Hashable {
  let device: DeviceID
  let line: Line
}

/// One call, from the INVITE to the last word about it. It decides; what it decides comes out as actions, in the order in which
/// they have to happen.
///
/// The parts of a call exist when they can exist: `slot` while its place is being claimed, `held` while it rings, `talk` from the answer on, `aftermath` for announcements
/// that were on their way when the ringing ended.
struct Call: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    /// A provisional or a refusing response to the INVITE.
    case respond(Int)
    /// 200 to the CANCEL.
    case answerCancel(ServerTransactionID, Request)
    /// 200 to the INVITE, with the phone's session description.
    case accept(sdp: Bytes)
    /// The ACK is here: the 200 need not be repeated.
    case acknowledged(ServerTransactionID)
    /// A response to a request inside the dialog; `sdp` only with 200.
    case respondInDialog(ServerTransactionID, Request, Int, sdp: Bytes?)
    /// BYE, in the dialog.
    case bye
    /// The ACK to the 2xx that our re-INVITE with this CSeq got.
    case acknowledge(UInt32)
    /// An UPDATE or re-INVITE that refreshes the session.
    case refresh(SessionTimer.Refresh)
    /// OPTIONS, in the dialog: whether it is still there.
    case probe
    /// Seal and send who is calling, to each.
    case announce([DeviceID])
    /// Do not send what has not left yet.
    case withdraw(DeviceID)
    case stop(DeviceID, StopReason)
    case reply(PhoneRequestID, PhoneReply)
    case releaseHeld
    /// As above, of a call that never rang: its INVITE may come another way.
    case unclaimHeld
    case releaseLine(DeviceID, Line)
    /// As above, and the device that had fetched the call is told so when it answers too late.
    case endedUnanswered(DeviceLine)
    /// The answered call on the line is over.
    case ended(DeviceLine)
    /// The push service says that the device's token, which the announcement went to, is dead.
    case tokenGone(DeviceID, PushAddress)
    case note(Note)
    /// Nothing is left to do.
    case over
  }

  let id: CallID
  let account: AccountID
  let invite: Request
  let transaction: ServerTransactionID
  let flow: Flow
  let localTag: Bytes
  let caller: Caller
  /// The provider's session description, nil where the INVITE had none: then the phone offers.
  let offer: Bytes?
  var began: Instant

  /// The account's held slot is asked for; nil once the store has spoken.
  enum SlotClaim: UInt8, Sendable, Equatable {
    case asked = 1
    /// The caller has left meanwhile: what is granted now is given back.
    case givenUp
  }

  var slot: SlotClaim? = .asked
  /// It waits for its slot for so long that the store has it, for the next home: its end is recorded too. Not in the record.
  var isWaitRecorded = false
  /// It ended without ever having had its slot: another call has it, perhaps another copy of its INVITE.
  var neverRang = false
  var held: HeldCall?
  var talk: Talk?
  /// Who took it, and where.
  var answeredOn: DeviceLine?
  var aftermath: Aftermath?
  /// The refusing final response until its ACK is there: recorded before it goes out, so that the next home says the same and nothing else.
  var refused: Int?
  /// Not in the record: where the store has not heard of it, it is passed on to whoever has the call meanwhile.
  var cancel: Request?
  /// The lines of devices that had fetched it, where it ended before the answer.
  var missedOn: [DeviceLine] = []
  /// How many other nodes have had it.
  var homes = 0
  /// Where the announcements went.
  var addresses: [DeviceID: PushAddress] = [:]

  var isOver: Bool { slot == nil && held == nil && talk == nil && aftermath == nil && refused == nil }

  /// What it has in common with its copies that come another way (RFC 3261 §8.2.2.2).
  var identity: RequestIdentity? { try? RequestIdentity(invite) }

  var mergeKey: MergeKey? { identity.map { MergeKey(request: $0.digest, branch: transaction.digest) } }

  /// Whether the line is its own, or will be when its turn comes.
  func uses(_ line: DeviceLine) -> Bool {
    guard let held else { return isAnswered && answeredOn == line }
    return held.fetched[line.device] == line.line || held.waiting.contains { $0.device == line.device && $0.wish == .fetch(line.line) }
  }

  /// Whether the device has anything to do with it.
  func concerns(_ device: DeviceID) -> Bool { held?.rings[device] != nil || answeredOn?.device == device }

  /// Whether it counts towards the account's answered calls.
  var isAnswered: Bool { talk?.isEnded == false }

  var nextDeadline: Instant? {
    [held?.nextDeadline, talk?.nextDeadline].compactMap(\.self).min()
  }

  // MARK: The caller

  /// The slot is ours: ring.
  mutating func begin(devices: [Device], protection: Duration, now: Instant) -> [Action] {
    let isGivenUp = slot == .givenUp
    slot = nil
    guard !isGivenUp else { return [.releaseHeld] + finished() }
    guard !devices.isEmpty else { return refuse(480, why: nil) + finished() }
    let ids = devices.map(\.id)
    let protection = homes == 0 ? protection : min(protection, Adoption.longestRinging)
    addresses = Dictionary(devices.map { ($0.id, $0.push) }, uniquingKeysWith: { first, _ in first })
    held = HeldCall(devices: ids, protection: protection, now: now)
    return [.respond(180), .announce(ids), .note(.held(id))]
  }

  /// CANCEL wins against everything that has not been recorded yet (RFC 3261 §9.2). Its own 200 is the caller's to send.
  mutating func cancelReceived(isAnsweredElsewhere: Bool, now: Instant) -> [Action] {
    if slot == .asked {
      guard !isWaitRecorded else { return notBegun(487) + [.note(.cancelled(id))] + finished() }
      slot = .givenUp
      return [.respond(487), .note(.cancelled(id))]
    }
    guard held != nil else { return [] }
    return refuse(487, why: isAnsweredElsewhere ? .answeredElsewhere : .callerHungUp) + [.note(.cancelled(id))] + finished()
  }

  /// It waited for its slot, and rings nowhere.
  mutating func notBegun(_ status: Int) -> [Action] {
    slot = nil
    neverRang = true
    refused = status
    return [.respond(status), .unclaimHeld]
  }

  /// Nobody goes on with it: neither caller nor phone is left with a call that has no other end.
  mutating func nodeLeaves(now: Instant) -> [Action] {
    let refused = slot == .asked ? notBegun(480) : held == nil ? [] : refuse(480, why: .refused)
    return refused + hangUp(why: .error, now: now) + finished()
  }

  mutating func deadlineReached(now: Instant) -> [Action] {
    heldDeadlineReached(now: now) + talkDeadlineReached(now: now) + finished()
  }

  /// The end of the ringing without an answer: one final response, everybody who waits is told, and a stop to each who was told.
  mutating func refuse(_ status: Int, why: StopReason?, actors: Set<DeviceID> = []) -> [Action] {
    refused = status
    guard let held else { return [.respond(status), .releaseHeld] }
    self.held = nil
    let losers = held.waiting.flatMap { dismiss($0, Problem(.nothingHeld)) }
    let fetched = held.fetched.sorted { $0.key < $1.key }.map { DeviceLine(device: $0.key, line: $0.value) }
    missedOn = fetched.filter { !actors.contains($0.device) }
    let lines = fetched.map { actors.contains($0.device) ? Action.releaseLine($0.device, $0.line) : .endedUnanswered($0) }
    let stops = why.map { silence(held.rings, why: $0, actors: actors) } ?? []
    return [.respond(status), .releaseHeld] + lines + losers + stops
  }

  /// Its ACK is there, or comes no more (RFC 3261 §17.2.1, timer H).
  mutating func refusalHeard() -> [Action] {
    guard refused != nil else { return [] }
    refused = nil
    return finished()
  }

  mutating func finished() -> [Action] { isOver ? [.over] : [] }
}
