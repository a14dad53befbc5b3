internal import Primitives

/// Token buckets per source: each source may do so much per second, and twice that in a burst.
struct SourceMeter {
  private struct Bucket {
    var tokens: Double
    var at: Instant
  }

  private let perSecond: Double
  private let limit: Int
  private var buckets: [UInt64: Bucket] = [:]

  /// - Parameter sources: buckets at once; where there are more, all start anew.
  init(perSecond: Int, sources limit: Int) {
    self.perSecond = Double(perSecond)
    self.limit = limit
  }

  /// False where the source has used up what it has.
  mutating func takes(from source: IPAddress, now: Instant) -> Bool {
    let key = source.subnet
    if buckets.count >= limit, buckets[key] == nil { buckets.removeAll(keepingCapacity: true) }
    return take(&buckets[key, default: Bucket(tokens: perSecond * 2, at: now)], now)
  }

  private func take(_ bucket: inout Bucket, _ now: Instant) -> Bool {
    let passed = Double((now - bucket.at).nanoseconds) / 1e9
    bucket.tokens = min(perSecond * 2, bucket.tokens + passed * perSecond)
    bucket.at = now
    guard bucket.tokens >= 1 else { return false }
    bucket.tokens -= 1
    return true
  }
}
