public import Primitives
public import Store

/// When a peer sent something, by its own clock.
public struct Postmark: Sendable, Equatable, RecordCodable {
  public let sender: Holder
  public let at: Instant

  public init(_ sender: Holder, at: Instant) { (self.sender, self.at) = (sender, at) }

  public init(_ record: Record) throws(RecordError) {
    sender = try record.value(1)
    at = try record.instant(2)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, sender)
    writer.write(2, at)
  }
}

/// For how long what peers send is on its way. Clocks of nodes differ, by the same time in all that one of them sends: what is later than
/// the quickest of the last seconds has waited on a connection.
struct PeerClocks: Sendable {
  /// Longer than a connection may be stuck before it counts as lost, and short: a clock may have stood still with its host.
  static let window = Duration.seconds(10)

  /// By how much one clock is ahead of the other, and the way.
  private struct Lags: Sendable {
    let life: UInt64
    var since: Instant
    var least: Duration
    /// Of the window before.
    var before: Duration?
  }

  private var lags: [NodeID: Lags] = [:]

  /// How much longer it took than the quickest. It is counted itself.
  mutating func delay(of mark: Postmark, now: Instant) -> Duration {
    learn(mark, now: now)
    guard let known = lags[mark.sender.node] else { return .zero }
    return now - mark.at - min(known.least, known.before ?? known.least)
  }

  mutating func learn(_ mark: Postmark, now: Instant) {
    let lag = now - mark.at
    let known = lags[mark.sender.node].flatMap { $0.life == mark.sender.incarnation ? $0 : nil }
    var current = known ?? Lags(life: mark.sender.incarnation, since: now, least: lag)
    if now - current.since >= Self.window {
      current = Lags(life: current.life, since: now, least: lag, before: now - current.since < Self.window * 2 ? current.least : nil)
    }
    current.least = min(current.least, lag)
    lags[mark.sender.node] = current
  }
}
