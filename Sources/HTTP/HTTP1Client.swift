public import Primitives

/// The client's side of one HTTP/1.1 connection (RFC 9112): one request at a time, no pipelining.
public struct HTTP1Client {
  public enum Event: Equatable, Sendable {
    case response(HTTPResponse)
    /// The connection is of no more use, and the response will not come.
    case failed(HTTPError)
  }

  private enum State {
    case idle
    case head(HTTP1HeadReader, toHead: Bool, interim: Int)
    case body(HTTPResponse, HTTP1BodyReader, keepsAlive: Bool)
    case closed
  }

  private let limits: HTTPLimits
  private var state: State = .idle
  private var input = LineBuffer()
  private var out: Bytes = []

  public init(limits: HTTPLimits) { self.limits = limits }

  /// Whether a request can be sent.
  public var isIdle: Bool { if case .idle = state { true } else { false } }
  public var isClosed: Bool { if case .closed = state { true } else { false } }

  /// What is to be sent; taken.
  public mutating func output() -> Bytes {
    defer { out = [] }
    return out
  }

  /// false where a response is awaited, the connection is done, or the request would not read as itself.
  public mutating func send(_ request: HTTPRequest) -> Bool {
    guard isIdle, request.isSendable else { return false }
    HTTP1Writer.request(request, into: &out)
    state = .head(HTTP1HeadReader(), toHead: request.method == "HEAD", interim: 0)
    return true
  }

  public mutating func receive(_ bytes: Slice) -> [Event] {
    guard !isClosed else { return [] }
    input.append(bytes)
    do throws(HTTPError) {
      return try advance()
    } catch {
      return fail(error)
    }
  }

  /// The server has ended the connection.
  public mutating func receiveEnd() -> [Event] {
    switch state {
    case .body(var response, let reader, _) where reader.endsWithConnection:
      state = .closed
      response.body = reader.body
      return [.response(response)]
    case .head, .body: return fail(.cutShort)
    case .idle, .closed:
      state = .closed
      return []
    }
  }

  private mutating func fail(_ error: HTTPError) -> [Event] {
    state = .closed
    return [.failed(error)]
  }

  /// A reader is taken out of the state while it reads, so that what it has collected is not copied.
  private mutating func advance() throws(HTTPError) -> [Event] {
    while true {
      switch state {
      case .idle:
        // Bytes that nobody asked for: a response to no request (RFC 9112 §9.2).
        if !input.isEmpty { state = .closed }
        return []
      case .head(var reader, let toHead, let interim):
        state = .closed
        let isComplete = try reader.read(from: &input, limits: limits)
        state = .head(reader, toHead: toHead, interim: interim)
        guard isComplete else { return [] }
        try begin(reader, toHead: toHead, interim: interim)
      case .body(var response, var reader, let keepsAlive):
        state = .closed
        let isComplete = try reader.read(from: &input, limits: limits)
        state = .body(response, reader, keepsAlive: keepsAlive)
        guard isComplete else { return [] }
        response.body = reader.body
        state = keepsAlive && input.isEmpty ? .idle : .closed
        return [.response(response)]
      case .closed: return []
      }
    }
  }

  private mutating func begin(_ head: HTTP1HeadReader, toHead: Bool, interim: Int) throws(HTTPError) {
    let (status, isHTTP10) = try Self.statusLine(head.startLine ?? [])
    if status < 200 {
      guard status != 101, interim < Self.mostInterimResponses else { throw .malformed(.startLine) }
      state = .head(HTTP1HeadReader(), toHead: toHead, interim: interim + 1)
      return
    }
    let framing = try HTTP1Framing.ofResponse(status: status, toHead: toHead, head.fields, isHTTP10: isHTTP10)
    let keepsAlive = framing != .untilEnd && HTTP1Version.keepsAlive(head.fields, isHTTP10: isHTTP10)
    let reader = try HTTP1BodyReader(framing, limits: limits)
    state = .body(HTTPResponse(status: status, fields: head.fields), reader, keepsAlive: keepsAlive)
  }

  /// `HTTP-version SP status-code SP [reason]` (RFC 9112 §4); the last space is missing from some servers.
  private static func statusLine(_ line: Slice) throws(HTTPError) -> (status: Int, isHTTP10: Bool) {
    let parts = line.split(separator: 32, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1].count == 3, let status = parts[1].decimal(as: Int.self), (100...599).contains(status) else {
      throw .malformed(.startLine)
    }
    return (status, try HTTP1Version.isHTTP10(parts[0]))
  }

  private static let mostInterimResponses = 8
}
