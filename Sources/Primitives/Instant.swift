/// A moment, in nanoseconds since the Unix epoch as this process counts them: read once from the wall clock at start, then
/// carried on by the monotonic clock. So deadlines order as the monotonic clock does, and mean the same on another node.
public struct Instant: Hashable, Comparable, Sendable, InstantProtocol {
  public var nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static let zero = Instant(nanoseconds: 0)
  public static let distantFuture = Instant(nanoseconds: .max)

  /// `milliseconds` after zero: for traces and tests.
  public static func ms(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  public var milliseconds: Int64 { nanoseconds / 1_000_000 }
  public var seconds: Int64 { nanoseconds / 1_000_000_000 }

  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Never overflows: the distant future stays where it is.
  @inlinable
  public func advanced(by duration: Duration) -> Instant {
    let (sum, over) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return over ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// Never overflows: what was read from bytes may be any moment.
  @inlinable
  public func duration(to other: Instant) -> Duration {
    let (difference, over) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return .nanoseconds(over ? (other < self ? .min : .max) : difference)
  }

  @inlinable
  public static func + (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: duration) }
  @inlinable
  public static func - (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: .zero - duration) }
  @inlinable
  public static func - (later: Instant, earlier: Instant) -> Duration { earlier.duration(to: later) }
}

extension Duration {
  /// Whole nanoseconds; more than 292 years count as the largest number.
  @inlinable
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, over) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return over ? .max : product + attoseconds / 1_000_000_000
  }

  public var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
