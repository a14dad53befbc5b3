import Primitives

/// Decides over the pushes to Apple that are under way: when each is sent, sent again or given up, and with which provider token.
/// A push is sent again only where the service surely did not take it, and all that ends within the limits below: a push that
/// comes later would ring for a call that is over.
struct APNsMachine: Sendable {
  typealias Number = UInt64

  enum Action: Equatable {
    /// The provider token of that time, for all that is sent from now on.
    case useToken(issuedAt: Instant)
    /// With an answer, or none, within that time.
    case send(Number, within: Duration)
    /// `delayOver` then.
    case wake(Number, at: Instant)
    /// The last of this push.
    case finish(Number, PushOutcome)
  }

  enum Failure: Sendable {
    /// The service did nothing with the request: it was never sent, or refused unread (RFC 9113 §8.7).
    case notProcessed
    case unknown
  }

  struct Limits: Sendable {
    var pushes = 10_000
    var life: Duration = .seconds(10)
    var answer: Duration = .seconds(5)
    var attempts = 8
    var firstDelay: Duration = .milliseconds(200)
    var longestDelay: Duration = .seconds(3)
  }

  private struct Push: Sendable {
    enum Phase: Sendable {
      /// With the provider token of this time.
      case inFlight(tokenOf: Instant)
      case waiting
    }

    let deadline: Instant
    var attempts = 0
    var phase: Phase
  }

  private var pushes: [Number: Push] = [:]
  private var last: Number = 0
  private var token = ProviderTokenTime()
  /// Of the last `useToken`.
  private var tokenInUse: Instant?
  private var random: SeededRandom
  private let limits: Limits

  init(random: SeededRandom, limits: Limits = Limits()) {
    self.random = random
    self.limits = limits
  }

  /// What the wall clock shows, by which Apple judges the provider token. To be told before all else that happens.
  mutating func clockShows(_ unix: Instant) { token.clockShows(unix) }

  /// A new push, and what to do with it.
  mutating func submitted(now: Instant) -> (Number, [Action]) {
    last += 1
    guard pushes.count < limits.pushes else { return (last, [.finish(last, .overloaded)]) }
    pushes[last] = Push(deadline: now + limits.life, phase: .waiting)
    return (last, send(last, now: now))
  }

  mutating func answered(_ number: Number, _ answer: APNsAnswer, now: Instant) -> [Action] {
    guard let push = pushes[number], case .inFlight(let issuedAt) = push.phase else { return [] }
    switch answer.verdict {
    case .accepted: return finish(number, .accepted)
    case .tokenGone(let since): return finish(number, .tokenGone(since: since))
    case .refused(let refusal): return finish(number, .refused(refusal))
    case .retry: return retry(number, after: max(answer.retryAfter ?? .zero, delay(push.attempts)), now: now)
    case .tokenExpired: return tokenExpired(for: number, sentWith: issuedAt, now: now)
    }
  }

  mutating func failed(_ number: Number, _ failure: Failure, now: Instant) -> [Action] {
    guard let push = pushes[number], case .inFlight = push.phase else { return [] }
    switch failure {
    // A connection that was just ended by the service is no sign of trouble: the first time is free.
    case .notProcessed: return retry(number, after: push.attempts == 1 ? .zero : delay(push.attempts - 1), now: now)
    case .unknown: return finish(number, .unknown)
    }
  }

  /// Whether nothing of the push is on its way: it waits to be sent again.
  func isWaiting(_ number: Number) -> Bool { if case .waiting = pushes[number]?.phase { true } else { false } }

  /// The service has surely seen nothing of it, and shall not.
  mutating func withdrawn(_ number: Number) -> [Action] { pushes[number] == nil ? [] : finish(number, .unreachable) }

  /// It is as late as the last `wake` of this push said.
  mutating func delayOver(_ number: Number, now: Instant) -> [Action] {
    guard let push = pushes[number], case .waiting = push.phase else { return [] }
    return now < push.deadline ? send(number, now: now) : finish(number, .unreachable)
  }
}

extension APNsMachine {
  private mutating func send(_ number: Number, now: Instant) -> [Action] {
    guard var push = pushes[number] else { return [] }
    let isNew = tokenInUse != token.issuedAt
    tokenInUse = token.issuedAt
    push.attempts += 1
    push.phase = .inFlight(tokenOf: token.issuedAt)
    pushes[number] = push
    return (isNew ? [.useToken(issuedAt: token.issuedAt)] : []) + [.send(number, within: min(limits.answer, push.deadline - now))]
  }

  private mutating func retry(_ number: Number, after delay: Duration, now: Instant) -> [Action] {
    guard var push = pushes[number] else { return [] }
    guard push.attempts < limits.attempts, now + delay < push.deadline else { return finish(number, .unreachable) }
    guard delay > .zero else { return send(number, now: now) }
    push.phase = .waiting
    pushes[number] = push
    return [.wake(number, at: now + delay)]
  }

  private mutating func tokenExpired(for number: Number, sentWith issuedAt: Instant, now: Instant) -> [Action] {
    switch token.expired(issuedAt) {
    case .useCurrent, .changed: retry(number, after: .zero, now: now)
    case .giveUp: finish(number, .refused(.configuration))
    }
  }

  private mutating func finish(_ number: Number, _ outcome: PushOutcome) -> [Action] {
    pushes[number] = nil
    return [.finish(number, outcome)]
  }

  /// Doubles with each attempt, jittered so that what failed together does not come back together.
  private mutating func delay(_ attempts: Int) -> Duration {
    let doubled = limits.firstDelay * (1 << min(max(attempts - 1, 0), 10))
    return random.jittered(min(doubled, limits.longestDelay), share: 0.5)
  }
}
