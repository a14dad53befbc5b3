import Primitives

/// RFC 3261 §17.1.2: any request of ours but INVITE and ACK.
struct ClientTransaction: TransactionMachine {
  enum State: Sendable, Equatable {
    /// No response yet (timers E and F).
    case trying(repetition: Repetition?, until: Instant)
    /// A provisional response came: repeated every T2 from now on.
    case proceeding(repetition: Repetition?, until: Instant)
    /// Repetitions of the final response are absorbed (timer K).
    case completed(until: Instant)
    case terminated
  }

  private(set) var state: State
  /// As sent, Via on top.
  let request: Request
  let isReliable: Bool

  init(request: Request, isReliable: Bool, now: Instant) {
    self.request = request
    self.isReliable = isReliable
    state = .trying(repetition: Repetition(unless: isReliable, from: now), until: now + TransactionTimers.giveUp)
  }

  var isTerminated: Bool { state == .terminated }

  var deadline: Instant? {
    switch state {
    case .trying(let repetition, let until), .proceeding(let repetition, let until): min(repetition?.next ?? until, until)
    case .completed(let until): until
    case .terminated: nil
    }
  }

  enum ResponseAction: Equatable { case deliver, none }

  mutating func received(_ response: Response, now: Instant) -> ResponseAction {
    switch state {
    case .trying(let repetition, let until) where response.status < 200:
      let slow = repetition.map { _ in Repetition(from: now, first: TransactionTimers.t2) }
      state = .proceeding(repetition: slow, until: until)
    case .proceeding where response.status < 200: break
    case .trying, .proceeding: state = isReliable ? .terminated : .completed(until: now + TransactionTimers.t4)
    case .completed, .terminated: return .none
    }
    return .deliver
  }

  enum DeadlineAction: Equatable { case send(Request), timedOut, end, none }

  mutating func deadlineReached(now: Instant) -> DeadlineAction {
    guard let deadline, now >= deadline else { return .none }
    switch state {
    case .trying(.some(var repetition), let until) where now < until:
      repetition.repeated(now: now)
      state = .trying(repetition: repetition, until: until)
      return .send(request)
    case .proceeding(.some(var repetition), let until) where now < until:
      repetition.repeated(now: now)
      state = .proceeding(repetition: repetition, until: until)
      return .send(request)
    case .trying, .proceeding:
      state = .terminated
      return .timedOut
    case .completed, .terminated:
      state = .terminated
      return .end
    }
  }

  enum FailureAction: Equatable { case failed, none }

  /// The transport could not deliver (§17.1.4).
  mutating func transportFailed() -> FailureAction {
    switch state {
    case .trying, .proceeding:
      state = .terminated
      return .failed
    case .completed, .terminated: return .none
    }
  }
}
