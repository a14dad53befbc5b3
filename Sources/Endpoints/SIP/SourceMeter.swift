internal import Primitives

/// Token buckets per source: each source may do so much per second, and twice that in a burst.
struct SourceMeter {
  private struct Bucket {
    var tokens: Double
    var at: Instant
  }

  private let perSecond: Double
  private let limit: Int
  private var buckets: [Bytes: Bucket] = [:]

  /// - Parameter sources: buckets at once; where there are more, all start anew.
  init(perSecond: Int, sources limit: Int) {
    self.perSecond = Double(perSecond)
    self.limit = limit
  }

  /// False where the source has used up what it has.
  mutating func takes(from source: IPAddress, now: Instant) -> Bool {
    let key = Array(source.bytes.prefix(source.isIPv6 ? 8 : 4))
    if buckets[key] == nil, buckets.count >= limit { buckets.removeAll(keepingCapacity: true) }
    var bucket = buckets[key] ?? Bucket(tokens: perSecond * 2, at: now)
    let passed = Double((now - bucket.at).nanoseconds) / 1e9
    bucket.tokens = min(perSecond * 2, bucket.tokens + passed * perSecond)
    bucket.at = now
    let isEnough = bucket.tokens >= 1
    if isEnough { bucket.tokens -= 1 }
    buckets[key] = bucket
    return isEnough
  }
}
