import Primitives

/// One request and its response.
struct HTTP2Stream {
  enum Phase {
    /// The peer's head is coming.
    case head
    /// The peer's body is coming.
    case body
    /// Server: the request has been delivered, the response is awaited.
    case responding
    /// Nothing of the peer's message is wanted any more.
    case ending
  }

  var phase: Phase = .head
  var head = HTTP2Head()
  var body: Bytes = []
  var outgoing = HTTP2Outgoing()
  var deadline: Instant
  /// Bytes that came after the request had been refused.
  var discarded = 0
  /// Whether our whole message has been sent.
  var isSent = false
  /// A response to HEAD has no body.
  var isHead = false
}

/// The body that is still to be sent, as flow control lets it.
struct HTTP2Outgoing {
  private var bytes: Bytes = []
  private var offset = 0
  private(set) var isEnded = false

  var count: Int { bytes.count - offset }
  /// Whether nothing will follow what has been taken.
  var isDone: Bool { isEnded && count == 0 }

  mutating func append(_ more: Bytes) {
    bytes.removeSubrange(..<offset)
    offset = 0
    bytes += more
  }

  mutating func end() { isEnded = true }

  mutating func take(upTo count: Int) -> Slice {
    let taken = bytes[offset...].prefix(count)
    offset += taken.count
    return taken
  }
}

/// Frames that move no message forward cost one each, and come back with time: what a client can make us do for nothing is limited
/// (RFC 9113 §10.5; resets in a row are CVE-2023-44487).
struct FrameBudget {
  private let burst: Double
  private let perSecond: Double
  private var left: Double
  private var last: Instant

  init(_ limits: HTTPLimits, now: Instant) {
    burst = Double(limits.idleFrameBurst)
    perSecond = Double(limits.idleFramesPerSecond)
    left = burst
    last = now
  }

  /// false once it is used up.
  mutating func spend(now: Instant) -> Bool {
    left = min(burst, left + Double((now - last).nanoseconds) / 1e9 * perSecond)
    last = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
