import Primitives

/// RFC 3261 §17.1.1 with the accepted state of RFC 6026 §7.2: an INVITE of ours.
struct InviteClientTransaction: TransactionMachine {
  enum State: Sendable, Equatable {
    /// No response yet: repeated (timer A) until one comes or nobody waits any more (timer B).
    case calling(repetition: Repetition?, until: Instant)
    case proceeding(until: Instant)
    /// Another final response came; each repetition of it is answered with the ACK again (timer D).
    case completed(ack: Request, until: Instant)
    /// A 2xx came; further ones, from forks too, go to the user of the transaction (timer M).
    case accepted(until: Instant)
    case terminated
  }

  private(set) var state: State
  /// As sent, Via on top.
  let request: Request
  let isReliable: Bool

  init(request: Request, isReliable: Bool, now: Instant) {
    self.request = request
    self.isReliable = isReliable
    // Timer A doubles without the limit of T2 (§17.1.1.2); timer B ends it.
    let repetition = Repetition(unless: isReliable, from: now, longest: TransactionTimers.giveUp)
    state = .calling(repetition: repetition, until: now + TransactionTimers.giveUp)
  }

  var isTerminated: Bool { state == .terminated }

  var deadline: Instant? {
    switch state {
    case .calling(let repetition, let until): min(repetition?.next ?? until, until)
    case .proceeding(let until), .completed(_, let until), .accepted(let until): until
    case .terminated: nil
    }
  }

  enum ResponseAction: Equatable { case deliver, acknowledge(Request, deliver: Bool), none }

  mutating func received(_ response: Response, now: Instant) -> ResponseAction {
    switch (state, response.status) {
    case (.calling, ..<200), (.proceeding, ..<200):
      state = .proceeding(until: now + TransactionTimers.longestRinging)
      return .deliver
    case (.calling, ..<300), (.proceeding, ..<300):
      state = .accepted(until: now + TransactionTimers.giveUp)
      return .deliver
    case (.calling, _), (.proceeding, _):
      let ack = request.acknowledging(response)
      state = isReliable ? .terminated : .completed(ack: ack, until: now + TransactionTimers.absorbInviteResponses)
      return .acknowledge(ack, deliver: true)
    case (.completed(let ack, _), 300...): return .acknowledge(ack, deliver: false)
    case (.accepted, 200..<300): return .deliver
    case (.completed, _), (.accepted, _), (.terminated, _): return .none
    }
  }

  typealias DeadlineAction = ClientTransaction.DeadlineAction

  mutating func deadlineReached(now: Instant) -> DeadlineAction {
    guard let deadline, now >= deadline else { return .none }
    switch state {
    case .calling(.some(var repetition), let until) where now < until:
      repetition.repeated(now: now)
      state = .calling(repetition: repetition, until: until)
      return .send(request)
    case .calling, .proceeding:
      state = .terminated
      return .timedOut
    case .completed, .accepted, .terminated:
      state = .terminated
      return .end
    }
  }

  enum FailureAction: Equatable { case failed, none }

  /// The transport could not deliver (§17.1.4).
  mutating func transportFailed() -> FailureAction {
    switch state {
    case .calling, .proceeding:
      state = .terminated
      return .failed
    case .completed, .accepted, .terminated: return .none
    }
  }
}
