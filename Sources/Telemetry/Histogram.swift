import Primitives
import Synchronization

/// How long things took, in buckets that are fixed when it is made. Safe on every thread; never waits.
public final class Histogram: Sendable {
  /// What one scrape shows.
  struct Reading: Equatable {
    /// Observations up to each bound, the last one without a bound: not yet summed up.
    var counts: [Int]
    var sum: Duration
  }

  /// From a millisecond to ten seconds: what a phone or a provider waits for.
  public static let defaultBounds: [Duration] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000].map(Duration.milliseconds)

  let bounds: [Duration]
  private let buckets: [Counter]
  private let sum = Atomic<Int64>(0)

  /// `bounds` ascending; one more bucket takes what is above them.
  public init(bounds: [Duration] = Histogram.defaultBounds) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds of a histogram ascend")
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// A negative time, which only a bug could bring, counts as none.
  public func observe(_ duration: Duration) {
    let duration = max(duration, .zero)
    buckets[bounds.firstIndex { duration <= $0 } ?? bounds.count].increment()
    sum.wrappingAdd(duration.nanoseconds, ordering: .relaxed)
  }

  var reading: Reading {
    Reading(counts: buckets.map(\.value), sum: .nanoseconds(sum.load(ordering: .relaxed)))
  }
}
