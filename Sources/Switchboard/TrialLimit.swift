import Primitives

/// How often credentials are tried at providers for phones that may own nothing: without a limit this server would guess passwords for
/// anybody, and providers would lock it out.
struct TrialLimit: Sendable, Equatable {
  /// Between two of one account.
  static let pause = Duration.seconds(10)
  /// Of all accounts together: so many at once after a silence, and one more each `interval`.
  static let burst = 50
  static let interval = Duration.milliseconds(100)

  /// When `burst` may go at once again.
  private var fullAt = Instant.zero

  /// nil: it may begin now, and counts. Else how long it has to wait.
  /// - Parameter last: the last one of the account.
  mutating func begin(last: Instant?, now: Instant) -> Duration? {
    if let last, now - last < Self.pause { return Self.pause - (now - last) }
    let earliest = fullAt + (.zero - Self.interval * (Self.burst - 1))
    guard now >= earliest else { return earliest - now }
    fullAt = max(fullAt, now) + Self.interval
    return nil
  }
}
