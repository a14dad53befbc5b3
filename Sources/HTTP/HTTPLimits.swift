import Primitives

/// What a peer may cost us. Sizes in bytes.
public struct HTTPLimits: Sendable {
  /// The content of one message; more is 413.
  public var body = 64 * 1024
  /// A request line or status line; more is 414.
  public var startLine = 8 * 1024
  /// Field lines of one message, and the bytes of their names and values; more is 431.
  public var fieldCount = 100
  public var fieldBytes = 16 * 1024
  /// HTTP/1.1: what a client may send ahead of the response to its request.
  public var pipelinedBytes = 64 * 1024
  /// HTTP/2: streams open at a time.
  public var streams = 100
  /// A streamed response: what may wait for a slow reader before its stream is reset.
  public var unsentBytes = 256 * 1024
  /// HTTP/2: what a refused request may still send before it is reset.
  public var discardedBytes = 1024 * 1024
  /// HTTP/2: resets, pings and other frames that move nothing: so many at once, and so many each second after that.
  public var idleFrameBurst = 200
  public var idleFramesPerSecond = 20

  /// From the first byte of a request to the end of its fields.
  public var headTime: Duration = .seconds(10)
  /// From the end of the fields to the end of the body.
  public var bodyTime: Duration = .seconds(20)
  /// A connection without a request.
  public var idleTime: Duration = .seconds(60)
  /// From the response to its last byte having been taken, where flow control can tell.
  public var sendTime: Duration = .seconds(30)

  public init() {}
}

/// Why a message is refused. None of them holds a byte of the message.
public enum HTTPError: Error, Equatable, Sendable {
  public enum Flaw: Sendable { case line, startLine, target, host, field, framing, chunk }

  case malformed(Flaw)
  case timedOut
  case bodyTooLarge
  case targetTooLong
  case expectationFailed
  case fieldsTooLarge
  case notImplemented
  case versionNotSupported
  /// The peer ended in the middle of a message.
  case cutShort

  /// The status that a server answers with (RFC 9110 §15.5, RFC 6585).
  public var status: Int {
    switch self {
    case .malformed, .cutShort: 400
    case .timedOut: 408
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .expectationFailed: 417
    case .fieldsTooLarge: 431
    case .notImplemented: 501
    case .versionNotSupported: 505
    }
  }
}

/// What a server answers to a message that never becomes a request. A pure function, so that the machines stay values.
public typealias HTTPRefusal = @Sendable (HTTPError) -> HTTPResponse

extension HTTPResponse {
  /// The status alone.
  public static let plainRefusal: HTTPRefusal = { HTTPResponse(status: $0.status) }
}
