public import PhoneContract
public import Primitives

/// What a phone does about calls, one at a time on one line: rings, fetches, answers, declines, watches, hangs up. It decides; whoever
/// holds it sends the requests that it asks for and tells it what came of them.
public struct Handset: Sendable {
  public enum State: Sendable, Hashable, Discreet {
    case idle
    case ringing
    /// The call is being fetched.
    case fetching
    /// The answer is on its way.
    case answering
    /// `next` is the sequence number after which events are missing.
    case talking(next: Int)
    /// The user has declined or hung up; the server's word is missing.
    case leaving
  }

  public enum Action: Sendable, Hashable, Discreet {
    case fetch
    /// nil: the caller has not offered, so the phone does.
    case answer(offer: String?)
    case decline
    case hangUp
    /// Ask for the status, after a pause.
    case watch(after: Int, pause: Duration)
    /// Of the caller's later offer; `sdp` nil: the phone must offer.
    case answerOffer(id: String, sdp: String?)
    case show(Notice)
  }

  /// What the user is told.
  public enum Notice: Sendable, Hashable, Discreet {
    case rings(number: String?, name: String?)
    /// The caller's SDP.
    case fetched(offer: String?)
    /// The caller's SDP where the phone has offered.
    case up(sdp: String?)
    /// Another call rings; this handset has one already.
    case waiting(number: String?, name: String?)
    case over(Outcome)
  }

  public enum Outcome: Sendable, Hashable {
    case declined
    /// nil where the server knows nothing of the call any more.
    case ended(EndReason?)
    case stopped(StopReason)
    case failed(PhoneError)
  }

  /// How often a status request may fail in a row: with the pause between them the server has given the call up by then.
  static let statusTries = 30
  static let statusPause: Duration = .seconds(1)

  public private(set) var state: State = .idle
  private var failedTries = 0

  public init() {}

  // MARK: The server announces

  public mutating func announced(_ announcement: Announcement) -> [Action] {
    switch (announcement, state) {
    case (.call(_, let number, let name), .idle), (.call(_, let number, let name), .ringing):
      // A second one while it rings: the first one's stop was lost, since the server holds one call at a time.
      state = .ringing
      return [.show(.rings(number: number, name: name))]
    case (.call(_, let number, let name), _): return [.show(.waiting(number: number, name: name))]
    case (.stop(_, let why), .ringing), (.stop(_, let why), .fetching): return over(.stopped(why))
    // In the other states the reply to the phone's own request tells more.
    case (.stop, _): return []
    }
  }

  // MARK: The user acts

  public mutating func answer() -> [Action] {
    guard state == .ringing else { return [] }
    state = .fetching
    return [.fetch]
  }

  /// Also a call that was fetched and has nothing in it that could be answered.
  public mutating func decline() -> [Action] {
    guard state == .ringing || state == .answering else { return [] }
    state = .leaving
    return [.decline]
  }

  public mutating func hangUp() -> [Action] {
    guard case .talking = state else { return [] }
    state = .leaving
    return [.hangUp]
  }

  // MARK: Replies come

  public mutating func fetched(_ result: Result<FetchReply, PhoneError>) -> [Action] {
    guard state == .fetching else { return [] }
    switch result {
    case .success(let reply):
      state = .answering
      return [.show(.fetched(offer: reply.offer)), .answer(offer: reply.offer)]
    case .failure(let error): return over(.failed(error))
    }
  }

  public mutating func answered(_ result: Result<AnswerReply, PhoneError>) -> [Action] {
    guard state == .answering else { return [] }
    switch result {
    case .success(let reply):
      state = .talking(next: 0)
      failedTries = 0
      return [.show(.up(sdp: reply.sdp)), .watch(after: 0, pause: .zero)]
    case .failure(let error): return over(.failed(error))
    }
  }

  public mutating func declined(_ result: Result<Void, PhoneError>) -> [Action] { left(result, .declined) }

  public mutating func hungUp(_ result: Result<Void, PhoneError>) -> [Action] { left(result, .ended(.hungUp)) }

  private mutating func left(_ result: Result<Void, PhoneError>, _ outcome: Outcome) -> [Action] {
    guard state == .leaving else { return [] }
    switch result {
    case .success: return over(outcome)
    case .failure(let error): return over(.failed(error))
    }
  }

  public mutating func watched(_ result: Result<StatusReply, PhoneError>) -> [Action] {
    guard case .talking(let next) = state else { return [] }
    switch result {
    case .success(let reply): return took(reply)
    case .failure(.problem(let problem)) where problem.name == .noCall: return over(.ended(nil))
    case .failure(let error):
      failedTries += 1
      return failedTries < Self.statusTries ? [.watch(after: next, pause: Self.statusPause)] : over(.failed(error))
    }
  }

  private mutating func took(_ reply: StatusReply) -> [Action] {
    failedTries = 0
    state = .talking(next: reply.next)
    var actions: [Action] = []
    for event in reply.events {
      switch event.kind {
      case .ended(let why): return actions + over(.ended(why))
      case .offer(let id, let sdp): actions.append(.answerOffer(id: id, sdp: sdp))
      case .offerWithdrawn, .other: break
      }
    }
    return actions + [.watch(after: reply.next, pause: .zero)]
  }

  private mutating func over(_ outcome: Outcome) -> [Action] {
    state = .idle
    return [.show(.over(outcome))]
  }
}
