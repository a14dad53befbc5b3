public import Primitives

public typealias HTTP2StreamID = Int32

/// One HTTP/2 connection (RFC 9113), either side, over nghttp2. Bytes and time go in; events, bytes and a deadline come out.
public final class HTTP2Session {
  public enum Role: Sendable { case server, client }

  public enum Event: Equatable, Sendable {
    /// Server: wants `respond`, or `sendHeaders` … `end`.
    case request(HTTPRequest, on: HTTP2StreamID)
    /// Server: a request that was answered, or ended, without anybody's help; for a metric.
    case refused(HTTPError)
    /// Client: the stream is done.
    case response(HTTPResponse, on: HTTP2StreamID)
    /// Server: nobody waits for the response any more. Client: there will be none.
    case streamEnded(HTTP2StreamID, HTTP2StreamEnd)
    /// The peer has said how many streams it takes at a time.
    case streamsAllowed(Int)
    /// The peer takes no further stream; those that it will not process end with `.notProcessed`.
    case goAway
    case pong
  }

  public let role: Role
  let streams: HTTP2Streams
  let handle: HTTP2Handle
  private let refusal: HTTPRefusal
  private var isBroken = false
  private var isDraining = false

  public init(role: Role, limits: HTTPLimits, now: Instant, refusal: @escaping HTTPRefusal = HTTPResponse.plainRefusal) {
    self.role = role
    self.refusal = refusal
    streams = HTTP2Streams(role: role, limits: limits, now: now)
    handle = HTTP2Handle(role, streams)
  }

  /// Whether nothing more will come: the connection is to be closed once `output` has been sent.
  public var isOver: Bool { isBroken || !handle.isAlive }

  public var openStreams: Int { streams.all.count }

  public func receive(_ bytes: Slice, now: Instant) -> [Event] {
    streams.now = now
    guard !isBroken else { return [] }
    if !handle.receive(bytes) { isBroken = true }
    doChores()
    return streams.takeEvents()
  }

  /// What is to be sent; taken.
  public func output() -> Bytes {
    var out = Bytes()
    repeat {
      doChores()
      while let part = nextOutput() { out += part }
    } while !streams.chores.isEmpty && !isBroken
    return out
  }

  /// The transport has ended: every open stream ends with it.
  public func connectionLost() -> [Event] {
    isBroken = true
    for (id, stream) in streams.all.sorted(by: { $0.key < $1.key }) where role == .client || stream.phase == .responding {
      streams.emit(.streamEnded(id, .connectionLost))
    }
    streams.all = [:]
    return streams.takeEvents()
  }

  /// Gives up a stream; no event follows.
  public func cancel(_ id: HTTP2StreamID) {
    if streams.all.removeValue(forKey: id) != nil { handle.reset(id, .cancel) }
  }

  /// The answer is `.pong`.
  public func ping() { handle.ping() }

  /// RFC 9113 §6.8: announces the end, and after a round trip says which stream was the last. The session is over when that one is done.
  public func drain() {
    guard !isDraining else { return }
    isDraining = true
    handle.announceEnd()
  }

  /// Ends everything at once, with GOAWAY.
  public func end(_ code: HTTP2ErrorCode) { handle.end(code) }

  private func nextOutput() -> Bytes? {
    guard !isBroken else { return nil }
    switch handle.output() {
    case .bytes(let bytes): return bytes
    case .nothing: return nil
    case .broken:
      isBroken = true
      return nil
    }
  }

  private func doChores() {
    for chore in streams.takeChores() {
      switch chore {
      case .refuse(let id, let error): submit(refusal(error), on: id)
      case .reset(let id, let code): handle.reset(id, code)
      case .end(let code): handle.end(code)
      case .finishDraining: handle.finishDraining()
      }
    }
  }
}

/// Why a stream ended without what it was for.
public enum HTTP2StreamEnd: Equatable, Sendable {
  /// The peer did nothing with it: it may be sent again (RFC 9113 §8.7).
  case notProcessed
  case reset(HTTP2ErrorCode)
  case refused(HTTPError)
  case connectionLost
}

/// RFC 9113 §7.
public struct HTTP2ErrorCode: RawRepresentable, Equatable, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let noError = HTTP2ErrorCode(rawValue: 0)
  public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
  public static let cancel = HTTP2ErrorCode(rawValue: 8)
  public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)
}
