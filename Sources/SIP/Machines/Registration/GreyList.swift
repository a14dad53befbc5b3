public import Primitives

/// One server that RFC 3263 found for a provider.
public struct Target: Sendable, Hashable {
  public var transport: Transport
  public var address: SocketAddress

  public init(transport: Transport, address: SocketAddress) {
    self.transport = transport
    self.address = address
  }
}

/// The servers of a provider that did not answer: each is left alone for a while, then probed by one request.
public struct GreyList: Sendable, Hashable {
  private struct Mark: Sendable, Hashable {
    var until: Instant
    var pause: Duration
    /// One request is on its way to see whether the target is back.
    var isProbed = false
  }

  static let firstPause = Duration.seconds(30)
  static let longestPause = Duration.seconds(600)
  /// More servers than any provider has; above that the mark that is over first is forgotten.
  static let limit = 64

  private var marks: [Target: Mark] = [:]

  public init() {}

  /// No response, or the transport failed. The pause doubles with each probe that fails; requests that were on their way together
  /// count once.
  public mutating func failed(_ target: Target, now: Instant) {
    let known = marks[target]
    if let known, !known.isProbed, known.until > now { return }
    let pause = known.map { min($0.pause * 2, Self.longestPause) } ?? Self.firstPause
    marks[target] = Mark(until: now + pause, pause: pause)
    if marks.count > Self.limit, let first = marks.min(by: { $0.value.until < $1.value.until })?.key { marks[first] = nil }
  }

  /// It answered: whatever was held against it is forgotten.
  public mutating func answered(_ target: Target) { marks[target] = nil }

  /// The targets to try, in their order, without those that are left alone. One whose time is over is in once: to the next caller it
  /// is left alone again until the outcome is known. Where all are left alone, the one whose time is over first is tried after all:
  /// a provider is never given up.
  public mutating func usable(_ targets: [Target], now: Instant) -> [Target] {
    let usable = targets.filter { marks[$0].map { $0.until <= now } ?? true }
    guard !usable.isEmpty else {
      return targets.min { (marks[$0]?.until ?? now) < (marks[$1]?.until ?? now) }.map { [$0] } ?? []
    }
    for target in usable { if let pause = marks[target]?.pause { marks[target] = Mark(until: now + pause, pause: pause, isProbed: true) } }
    return usable
  }
}
