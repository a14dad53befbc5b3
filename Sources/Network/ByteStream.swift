public import Primitives

/// A connection that carries bytes both ways: TCP, or TLS over it.
@LoopActor
public protocol ByteStream: AnyObject, Sendable {
  var local: SocketAddress { get }
  var remote: SocketAddress { get }
  /// The protocol that the TLS handshake chose (RFC 7301); nil without TLS or without a choice.
  var alpn: String? { get }
  /// Bytes given to `write` that the system has not taken yet.
  var queuedBytes: Int { get }
  /// What the peer sends, up to 64 KiB at a time. Nothing is read before this is set.
  var onBytes: (@LoopActor (Slice) -> Void)? { get set }
  /// Called exactly once, never from within `write` or `close`. Also when the connection ended before this was set.
  var onEnd: (@LoopActor (StreamEnd) -> Void)? { get set }
  /// The connection ends when nothing was received for so long; nil: it may stay silent.
  var idleLimit: Duration? { get set }
  /// The peer will send no more, and may still read. When this is set the connection then stays open for writing until `close`, at
  /// most for the half-open limit; else it ends.
  var onPeerFinished: (@LoopActor () -> Void)? { get set }
  /// While false nothing is read: the peer is held back by TCP.
  var isReading: Bool { get set }

  /// Sends the bytes after those of earlier calls. More than the queue limit: the connection ends.
  func write(_ bytes: Bytes)
  /// Sends what is queued and ends the connection, by force when the peer does not take part within a time limit.
  func close()
  /// Ends the connection now; what is queued is lost.
  func abort()
}

/// Why a connection ended.
public enum StreamEnd: Hashable, Sendable {
  case closedByPeer
  /// `close` or `abort` was called.
  case closedHere
  /// Nothing was received for the idle limit.
  case idle
  /// The peer reads slower than we write: the queue limit was reached.
  case queueFull
  case failed(NetworkError)
}

/// The limits of one connection.
public struct StreamLimits: Sendable {
  /// Bytes that wait for the peer to read.
  public var queuedBytes = 1 << 20
  /// From the connection to the end of the TLS handshake.
  public var handshake = Duration.seconds(10)
  /// From `close` to the end by force.
  public var closing = Duration.seconds(3)

  /// From the end of what the peer sends to the end of what we send.
  public var halfOpen = Duration.seconds(30)

  public init() {}
}
