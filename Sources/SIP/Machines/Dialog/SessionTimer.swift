public import Primitives

/// The session timer of a dialog (RFC 4028) in both roles: who refreshes the session, when, and when it counts as dead.
public struct SessionTimer: Sendable, Hashable {
  public struct Policy: Sendable, Hashable {
    /// Seconds; a shorter interval is refused (§4: never below 90).
    public var minimum: UInt32
    /// Seconds; what is asked for where the peer leaves it to us.
    public var wanted: UInt32

    public init(minimum: UInt32 = 90, wanted: UInt32 = 1800) {
      self.minimum = max(minimum, 90)
      self.wanted = max(wanted, self.minimum)
    }
  }

  enum State: Sendable, Hashable {
    /// No timer was agreed on.
    case off
    case peerRefreshes(Session)
    case weRefresh(Session, at: Instant)
    /// Our refresh is open. `isRepeated`: it was repeated with a longer interval already.
    case refreshing(Session, method: Method, isRepeated: Bool)
  }

  struct Session: Sendable, Hashable {
    var seconds: UInt32
    /// When nobody refreshed until then, the session is dead: a third of the interval, at most 32 s, before it is over (§10).
    var endsAt: Instant

    init(seconds: UInt32, now: Instant) {
      self.seconds = seconds
      endsAt = now + .seconds(seconds - min(32, seconds / 3))
    }
  }

  var state = State.off
  public let policy: Policy
  /// Whether the peer lists UPDATE in Allow: set from each message that has one.
  public var allowsUpdate: Bool
  /// The longest Min-SE that anybody on the way asked for.
  var minimum: UInt32

  public init(policy: Policy = Policy(), allowsUpdate: Bool = false) {
    self.policy = policy
    self.allowsUpdate = allowsUpdate
    minimum = policy.minimum
  }

  /// When `deadlineReached` wants to be called.
  public var deadline: Instant? {
    switch state {
    case .off: nil
    case .peerRefreshes(let session), .refreshing(let session, _, _): session.endsAt
    case .weRefresh(let session, let at): min(at, session.endsAt)
    }
  }

  public enum Answer: Sendable, Hashable {
    /// Answer 422 with this Min-SE.
    case tooSmall(minSE: UInt32)
    /// For the 2xx: its Session-Expires, if any, and whether it has `Require: timer`.
    case accepted(SessionExpires?, requiresTimer: Bool)
  }

  /// What our 2xx to an INVITE or UPDATE says (§9, table 2). Where the choice is ours, who refreshes now goes on, at first we.
  public func answer(to request: some MessageFields) -> Answer {
    let isSupported = request.supports("timer")
    let minSE = request.minSE ?? 0
    guard let asked = request.sessionExpires else {
      guard isSupported else { return .accepted(nil, requiresTimer: false) }
      let seconds = max(policy.wanted, minSE, minimum)
      return .accepted(SessionExpires(seconds: seconds, refresher: ownChoice), requiresTimer: true)
    }
    if asked.seconds < policy.minimum {
      // Who does not know the timer would not understand 422.
      return isSupported ? .tooSmall(minSE: policy.minimum) : .accepted(nil, requiresTimer: false)
    }
    let seconds = min(asked.seconds, max(policy.wanted, minSE))
    let refresher = isSupported ? asked.refresher ?? ownChoice : .uas
    return .accepted(SessionExpires(seconds: seconds, refresher: refresher), requiresTimer: isSupported)
  }

  private var ownChoice: SessionExpires.Refresher {
    if case .peerRefreshes = state { .uac } else { .uas }
  }

  /// Our 2xx with this answer has gone out: the timer starts anew. It ends a refresh of ours that is open.
  public mutating func answered(_ answer: Answer, now: Instant) {
    guard case .accepted(let agreed, _) = answer else { return }
    start(agreed, weRefreshAs: .uas, now)
  }

  private mutating func start(_ agreed: SessionExpires?, weRefreshAs ours: SessionExpires.Refresher, _ now: Instant) {
    guard let agreed else { return state = .off }
    let session = Session(seconds: max(agreed.seconds, 2), now: now)
    let isOurs = (agreed.refresher ?? .uac) == ours
    state = isOurs ? .weRefresh(session, at: now + .seconds(session.seconds) / 2) : .peerRefreshes(session)
  }
}

/// Requests of ours that refresh the session.
extension SessionTimer {
  /// A refresh: its method and what its header fields say, beside `Supported: timer`.
  public struct Refresh: Sendable, Hashable {
    public var method: Method
    public var sessionExpires: SessionExpires
    public var minSE: UInt32
  }

  public enum Action: Sendable, Hashable {
    case refresh(Refresh)
    /// The session is dead: BYE, and the phone is told.
    case end
    case none
  }

  /// The header fields for a re-INVITE or UPDATE of ours that is sent for another reason: it refreshes the session too, and none is
  /// sent beside it.
  public mutating func requestStarted(_ method: Method) -> Refresh {
    switch state {
    case .weRefresh(let session, _), .refreshing(let session, _, _):
      state = .refreshing(session, method: method, isRepeated: false)
      return refresh(method, session.seconds, .uac)
    case .peerRefreshes(let session): return refresh(method, session.seconds, .uas)
    case .off: return refresh(method, policy.wanted, .uac)
    }
  }

  private func refresh(_ method: Method, _ seconds: UInt32, _ refresher: SessionExpires.Refresher) -> Refresh {
    Refresh(method: method, sessionExpires: SessionExpires(seconds: max(seconds, minimum), refresher: refresher), minSE: minimum)
  }

  public mutating func deadlineReached(now: Instant) -> Action {
    guard let deadline, now >= deadline else { return .none }
    if case .weRefresh(let session, _) = state, now < session.endsAt {
      return start(session, allowsUpdate ? .update : .invite, isRepeated: false)
    }
    state = .off
    return .end
  }

  private mutating func start(_ session: Session, _ method: Method, isRepeated: Bool) -> Action {
    state = .refreshing(session, method: method, isRepeated: isRepeated)
    return .refresh(refresh(method, session.seconds, .uac))
  }

  /// The final response to a re-INVITE or UPDATE of ours.
  ///
  /// - Parameter random: for the pause after a 491.
  public mutating func answered(by response: Response, now: Instant, random: inout SeededRandom) -> Action {
    if response.status < 300 {
      start(response.sessionExpires, weRefreshAs: .uac, now)
      return .none
    }
    guard case .refreshing(let session, let method, let isRepeated) = state else { return .none }
    switch response.status {
    case 408, 481: return fail()
    case 422: return tooSmall(session, method, isRepeated, response.minSE ?? 0, now)
    case 400, 405, 501:
      guard method == .update else { return later(session, now) }
      allowsUpdate = false
      return start(session, .invite, isRepeated: isRepeated)
    case 491:
      state = .weRefresh(session, at: now + .milliseconds(Int64.random(in: 0...2000, using: &random)))
      return .none
    default: return later(session, now)
    }
  }

  /// No response came to a refresh of ours: the peer is gone.
  public mutating func timedOut() -> Action { fail() }

  private mutating func fail() -> Action {
    guard case .refreshing = state else { return .none }
    state = .off
    return .end
  }

  /// §7.4: again with the interval that somebody on the way insists on, once.
  private mutating func tooSmall(_ session: Session, _ method: Method, _ isRepeated: Bool, _ minSE: UInt32, _ now: Instant) -> Action {
    guard !isRepeated, minSE > minimum else { return later(session, now) }
    minimum = minSE
    return start(session, method, isRepeated: true)
  }

  /// The session lives on until its end; halfway there one more try is made, while there is time for an answer.
  private mutating func later(_ session: Session, _ now: Instant) -> Action {
    let rest = session.endsAt - now
    state = .weRefresh(session, at: rest > .seconds(4) ? now + rest / 2 : session.endsAt)
    return .none
  }
}
