import Primitives

/// RFC 3261 §17.2.2: the server's side of any request but INVITE and ACK.
struct ServerTransaction: TransactionMachine {
  enum State: Sendable, Equatable {
    /// Nobody has answered yet. When the client has given up (timer F), an answer would reach no one (RFC 4320 §4.2).
    case trying(until: Instant)
    case proceeding(last: Response, until: Instant)
    /// The final response waits for repetitions of the request (timer J).
    case completed(final: Response, until: Instant)
    case terminated
  }

  private(set) var state: State
  let isReliable: Bool

  init(isReliable: Bool, now: Instant) {
    self.isReliable = isReliable
    self.state = .trying(until: now + TransactionTimers.giveUp)
  }

  var isTerminated: Bool { state == .terminated }

  var deadline: Instant? {
    switch state {
    case .trying(let until), .proceeding(_, let until), .completed(_, let until): until
    case .terminated: nil
    }
  }

  enum RequestAction: Equatable { case send(Response), none }

  /// The request came again.
  func requestReceivedAgain() -> RequestAction {
    switch state {
    case .proceeding(let last, _), .completed(let last, _): .send(last)
    case .trying, .terminated: .none
    }
  }

  enum RespondAction: Equatable { case send(Response), tooLate }

  mutating func respond(with response: Response, now: Instant) -> RespondAction {
    switch state {
    case .trying(let until), .proceeding(_, let until):
      if response.status < 200 {
        state = .proceeding(last: response, until: until)
      } else {
        state = isReliable ? .terminated : .completed(final: response, until: now + TransactionTimers.giveUp)
      }
      return .send(response)
    case .completed, .terminated: return .tooLate
    }
  }

  enum DeadlineAction: Equatable { case end, none }

  mutating func deadlineReached(now: Instant) -> DeadlineAction {
    guard let deadline, now >= deadline else { return .none }
    state = .terminated
    return .end
  }
}
