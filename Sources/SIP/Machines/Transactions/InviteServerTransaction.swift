import Primitives

/// RFC 3261 §17.2.1 with the accepted state of RFC 6026 §7.1. Holds an INVITE until somebody answers it.
struct InviteServerTransaction: TransactionMachine {
  enum State: Sendable, Equatable {
    case proceeding(last: Response?)
    /// A 2xx went out. `repetition` is nil once the ACK is there; the state stays to absorb late INVITEs (timer L).
    case accepted(ok: Response, repetition: Repetition?, until: Instant)
    /// Another final response went out and waits for its ACK (timers G and H).
    case completed(final: Response, repetition: Repetition?, until: Instant)
    /// The ACK is there; its repetitions are absorbed (timer I).
    case confirmed(until: Instant)
    case terminated
  }

  private(set) var state: State
  let isReliable: Bool

  init(isReliable: Bool, last: Response? = nil) {
    self.isReliable = isReliable
    self.state = .proceeding(last: last)
  }

  var isTerminated: Bool { state == .terminated }

  var deadline: Instant? {
    switch state {
    case .proceeding, .terminated: nil
    case .accepted(_, let repetition, let until), .completed(_, let repetition, let until): min(repetition?.next ?? until, until)
    case .confirmed(let until): until
    }
  }

  enum InviteAction: Equatable { case send(Response), none }

  /// The INVITE came again: the last response answers it. After a 2xx it is absorbed: the 2xx is repeated by its own timer.
  func inviteReceivedAgain() -> InviteAction {
    switch state {
    case .proceeding(let last): last.map { .send($0) } ?? .none
    case .completed(let final, _, _): .send(final)
    case .accepted, .confirmed, .terminated: .none
    }
  }

  enum RespondAction: Equatable { case send(Response), tooLate }

  /// The user of the transaction answers. After the first final response nothing else goes out.
  mutating func respond(with response: Response, now: Instant) -> RespondAction {
    guard case .proceeding = state else { return .tooLate }
    let until = now + TransactionTimers.giveUp
    switch response.status {
    case ..<200: state = .proceeding(last: response)
    case ..<300: state = .accepted(ok: response, repetition: Repetition(from: now), until: until)
    default: state = .completed(final: response, repetition: Repetition(unless: isReliable, from: now), until: until)
    }
    return .send(response)
  }

  enum AckAction: Equatable { case absorb, deliver, acknowledged }

  /// An ACK that matches this transaction. One after a 2xx belongs to the dialog (RFC 6026 §7.1).
  mutating func ackReceived(now: Instant) -> AckAction {
    switch state {
    case .accepted: return .deliver
    case .completed:
      state = isReliable ? .terminated : .confirmed(until: now + TransactionTimers.t4)
      return .acknowledged
    case .proceeding, .confirmed, .terminated: return .absorb
    }
  }

  /// The ACK to the 2xx has come, by way of the dialog: the 2xx is not repeated any more.
  mutating func acknowledged() {
    guard case .accepted(let ok, _, let until) = state else { return }
    state = .accepted(ok: ok, repetition: nil, until: until)
  }

  enum DeadlineAction: Equatable { case send(Response), noACK, end, none }

  mutating func deadlineReached(now: Instant) -> DeadlineAction {
    switch state {
    case .accepted(let ok, let repetition, let until): accepted(ok, repetition, until, now)
    case .completed(let final, let repetition, let until): completed(final, repetition, until, now)
    case .confirmed(let until) where now >= until: end(.end)
    case .proceeding, .confirmed, .terminated: .none
    }
  }

  /// RFC 3261 §13.3.1.4: on every transport, since a proxy on the way may go over to UDP.
  private mutating func accepted(_ ok: Response, _ repetition: Repetition?, _ until: Instant, _ now: Instant) -> DeadlineAction {
    if now >= until { return end(repetition == nil ? .end : .noACK) }
    guard var repetition, now >= repetition.next else { return .none }
    repetition.repeated(now: now)
    state = .accepted(ok: ok, repetition: repetition, until: until)
    return .send(ok)
  }

  private mutating func completed(_ final: Response, _ repetition: Repetition?, _ until: Instant, _ now: Instant) -> DeadlineAction {
    if now >= until { return end(.end) }
    guard var repetition, now >= repetition.next else { return .none }
    repetition.repeated(now: now)
    state = .completed(final: final, repetition: repetition, until: until)
    return .send(final)
  }

  private mutating func end(_ action: DeadlineAction) -> DeadlineAction {
    state = .terminated
    return action
  }
}
