import Primitives

/// The times of RFC 3261 §17, table 4.
public enum TransactionTimers {
  /// An estimate of the round-trip time.
  public static let t1 = Duration.milliseconds(500)
  /// The longest pause between two repetitions.
  public static let t2 = Duration.seconds(4)
  /// How long a message may stay in the network.
  public static let t4 = Duration.seconds(5)
  /// Timers B, F, H, J, L, M: after that nobody waits any more.
  public static let giveUp = t1 * 64
  /// Timer D (more than 32 s): how long responses to an INVITE may still be repeated.
  public static let absorbInviteResponses = giveUp
  /// Timer C (RFC 3261 §16.6, more than three minutes): how long an INVITE of ours may ring.
  public static let longestRinging = Duration.seconds(181)
}

/// The next repetition of a message: the pause doubles each time up to `longest`.
struct Repetition: Sendable, Hashable {
  private(set) var next: Instant
  private var pause: Duration
  private let longest: Duration

  init(from now: Instant, first pause: Duration = TransactionTimers.t1, longest: Duration = TransactionTimers.t2) {
    self.next = now + pause
    self.pause = pause
    self.longest = longest
  }

  /// nil on a reliable transport, which repeats by itself.
  init?(unless isReliable: Bool, from now: Instant, longest: Duration = TransactionTimers.t2) {
    guard !isReliable else { return nil }
    self.init(from: now, longest: longest)
  }

  /// Counted from when it was due, so that a late wake-up does not shift those that follow; what a long sleep missed is not made up.
  mutating func repeated(now: Instant) {
    pause = min(pause * 2, longest)
    next = next + pause > now ? next + pause : now + pause
  }
}
