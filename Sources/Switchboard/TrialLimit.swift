import Primitives

/// How often credentials are tried at providers for phones that may own nothing: without a limit this server would guess passwords for
/// anybody, and providers would lock it out. So many at once after a silence, for somebody who mistypes, and then one more in each
/// `interval`.
struct TrialLimit: Sendable, Equatable {
  static let ofAccount = TrialLimit(burst: 3, interval: .seconds(10))
  /// Of all accounts together.
  static let ofNode = TrialLimit(burst: 50, interval: .milliseconds(100))

  private let burst: Int
  private let interval: Duration
  /// When `burst` may go at once again (the virtual scheduling of a leaky bucket).
  private var fullAt = Instant.zero

  private init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
  }

  /// How long the next one has to wait; nil: it may begin now.
  func pause(now: Instant) -> Duration? {
    let earliest = fullAt + (.zero - interval * (burst - 1))
    return now < earliest ? earliest - now : nil
  }

  mutating func begin(now: Instant) { fullAt = max(fullAt, now) + interval }
}
