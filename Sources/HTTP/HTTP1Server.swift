public import Primitives

/// The server's side of one HTTP/1.1 connection (RFC 9112). Requests come one after the other: the next is read once the response to
/// the one before has been given. What cannot be read is answered and ends the connection.
public struct HTTP1Server {
  public enum Event: Equatable, Sendable {
    /// Wants `respond`, or `sendHeaders` … `end`.
    case request(HTTPRequest)
    /// Has been answered already; for a metric.
    case refused(HTTPError)
  }

  /// What the response has to know of its request.
  private struct Exchange {
    var isHead: Bool
    var isHTTP10: Bool
    var keepsAlive: Bool
  }

  private enum State {
    case head(HTTP1HeadReader)
    case body(HTTPRequest, Exchange, HTTP1BodyReader)
    case responding(Exchange)
    case streaming(Exchange)
    case closed
  }

  private let scheme: String
  private let limits: HTTPLimits
  private let refusal: HTTPRefusal
  private var state: State = .head(HTTP1HeadReader())
  private var input = LineBuffer()
  private var out: Bytes = []
  private var isDraining = false

  /// When `deadlineReached` wants to be called; the distant future while a response is awaited from us.
  public private(set) var deadline: Instant

  /// `scheme`: what the connection speaks, `https` or `http`.
  public init(scheme: String, limits: HTTPLimits, now: Instant, refusal: @escaping HTTPRefusal = HTTPResponse.plainRefusal) {
    self.scheme = scheme
    self.limits = limits
    self.refusal = refusal
    deadline = now + limits.headTime
  }

  /// Whether the connection is to be closed once `output` has been sent.
  public var isClosed: Bool { if case .closed = state { true } else { false } }

  /// What is to be sent; taken.
  public mutating func output() -> Bytes {
    defer { out = [] }
    return out
  }

  public mutating func receive(_ bytes: Slice, now: Instant) -> [Event] {
    guard !isClosed else { return [] }
    if case .head(let reader) = state, !reader.hasBegun, input.isEmpty, !bytes.isEmpty { deadline = now + limits.headTime }
    input.append(bytes)
    return advance(now)
  }

  /// The whole response. Returns the next request where the client had sent it already.
  public mutating func respond(_ response: HTTPResponse, now: Instant) -> [Event] {
    guard case .responding(let exchange) = state else { return [] }
    let hasNoBody = HTTPResponse.hasNoBody(response.status)
    writeHead(response, hasNoBody ? .none : .length(response.body.count), exchange)
    if !exchange.isHead, !hasNoBody { out += response.body }
    return finish(exchange, now)
  }

  /// The head of a response whose body comes in parts.
  public mutating func sendHeaders(_ response: HTTPResponse) {
    guard case .responding(var exchange) = state else { return }
    if exchange.isHTTP10 { exchange.keepsAlive = false }
    writeHead(response, exchange.isHTTP10 ? .none : .chunked, exchange)
    state = .streaming(exchange)
  }

  public mutating func sendData(_ data: Bytes) {
    guard case .streaming(let exchange) = state, !exchange.isHead else { return }
    if exchange.isHTTP10 { out += data } else { HTTP1Writer.chunk(data, into: &out) }
  }

  public mutating func end(now: Instant) -> [Event] {
    guard case .streaming(let exchange) = state else { return [] }
    if !exchange.isHTTP10, !exchange.isHead { out.append("0\r\n\r\n") }
    return finish(exchange, now)
  }

  /// Takes no further request: an idle connection is closed, a response under way says that it is the last.
  public mutating func drain() {
    isDraining = true
    if case .head(let reader) = state, !reader.hasBegun, input.isEmpty { close() }
  }

  /// A client that is too slow gets 408; one that never said anything gets nothing (RFC 9110 §15.5.9).
  public mutating func deadlineReached(now: Instant) -> [Event] {
    guard now >= deadline else { return [] }
    switch state {
    case .head(let reader) where !reader.hasBegun && input.isEmpty:
      close()
      return []
    case .head, .body: return refuse(.timedOut)
    case .responding, .streaming, .closed: return []
    }
  }

  private mutating func close() {
    state = .closed
    deadline = .distantFuture
    input.removeAll()
  }
}

extension HTTP1Server {
  /// A reader is taken out of the state while it reads, so that what it has collected is not copied.
  private mutating func advance(_ now: Instant) -> [Event] {
    do throws(HTTPError) {
      while true {
        switch state {
        case .head(var reader):
          state = .closed
          let isComplete = try reader.read(from: &input, limits: limits)
          state = .head(reader)
          guard isComplete else { return [] }
          try begin(reader, now)
        case .body(var request, let exchange, var reader):
          state = .closed
          let isComplete = try reader.read(from: &input, limits: limits)
          state = .body(request, exchange, reader)
          guard isComplete else { return [] }
          request.body = reader.body
          state = .responding(exchange)
          deadline = .distantFuture
          limitPipeline()
          return [.request(request)]
        case .responding, .streaming:
          limitPipeline()
          return []
        case .closed: return []
        }
      }
    } catch {
      return refuse(error)
    }
  }

  /// Too much was sent ahead: the response under way is the last one, and what is read until then goes nowhere.
  private mutating func limitPipeline() {
    guard input.count > limits.pipelinedBytes else { return }
    isDraining = true
    input.removeAll()
  }

  private mutating func begin(_ head: HTTP1HeadReader, _ now: Instant) throws(HTTPError) {
    let line = try RequestLine(head.startLine ?? [])
    let request = try line.request(scheme: scheme, fields: head.fields)
    let framing = try HTTP1Framing.ofRequest(head.fields, isHTTP10: line.isHTTP10)
    let reader = try HTTP1BodyReader(framing, limits: limits)
    try answerExpectation(of: head.fields, isHTTP10: line.isHTTP10, hasBody: !reader.isComplete)
    let exchange = Exchange(isHead: line.method == "HEAD", isHTTP10: line.isHTTP10, keepsAlive: line.keepsAlive(head.fields))
    state = .body(request, exchange, reader)
    deadline = now + limits.bodyTime
  }

  /// RFC 9110 §10.1.1: 100 before the body, unless it is on its way already.
  private mutating func answerExpectation(of fields: HTTPFields, isHTTP10: Bool, hasBody: Bool) throws(HTTPError) {
    guard !isHTTP10, let expectation = fields["expect"] else { return }
    guard expectation.asciiLowercased == "100-continue" else { throw .expectationFailed }
    if hasBody, input.isEmpty { out.append("HTTP/1.1 100 Continue\r\n\r\n") }
  }

  private mutating func writeHead(_ response: HTTPResponse, _ length: HTTP1Writer.Length, _ exchange: Exchange) {
    let closing = isDraining || !exchange.keepsAlive
    HTTP1Writer.head(response, length, closing: closing, keepAlive: exchange.isHTTP10 && !closing, into: &out)
  }

  private mutating func finish(_ exchange: Exchange, _ now: Instant) -> [Event] {
    guard exchange.keepsAlive, !isDraining else {
      close()
      return []
    }
    state = .head(HTTP1HeadReader())
    deadline = now + (input.isEmpty ? limits.idleTime : limits.headTime)
    return advance(now)
  }

  private mutating func refuse(_ error: HTTPError) -> [Event] {
    let response = refusal(error)
    HTTP1Writer.head(response, .length(response.body.count), closing: true, keepAlive: false, into: &out)
    out += response.body
    close()
    return [.refused(error)]
  }
}
