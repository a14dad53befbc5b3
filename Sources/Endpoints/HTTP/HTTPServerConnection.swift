import HTTP
import Network
import Primitives

/// One connection of a server: the machine of its protocol between the stream and the handler.
@LoopActor
final class HTTPServerConnection {
  private enum Machine {
    case http1(InPlace<HTTP1Server>)
    case http2(HTTP2Session)
  }

  let peer: SocketAddress
  /// The DNS names in the client's certificate.
  let peerNames: [String]
  private let stream: any ByteStream
  private weak var server: HTTPServer?
  private var machine: Machine
  private var exchanges: [HTTP2StreamID: HTTPExchange] = [:]
  private var timer: (deadline: Instant, timer: LoopTimer)?
  /// Events wait here while the handler runs: a response may bring the next request, and they shall not nest.
  private var events: [Event] = []
  private var isHandling = false
  private var isClosing = false

  private enum Event {
    case request(HTTPRequest, HTTP2StreamID)
    case refused(HTTPError)
    case gone(HTTP2StreamID)
  }

  init(_ stream: any ByteStream, scheme: String, server: HTTPServer) {
    self.stream = stream
    self.server = server
    peer = stream.remote
    peerNames = (stream as? TLSConnection)?.peerNames ?? []
    let now = Loop.now()
    machine =
      stream.alpn == "h2"
      ? .http2(HTTP2Session(role: .server, limits: server.limits, now: now, refusal: server.refusal))
      : .http1(InPlace(HTTP1Server(scheme: scheme, limits: server.limits, now: now, refusal: server.refusal)))
  }

  func start() {
    stream.onEnd = { [self] _ in ended() }
    stream.onBytes = { [weak self] in self?.received($0) }
    stream.idleLimit = server?.silence
    flush()
  }

  func drain() {
    switch machine {
    case .http1(let server): server.value.drain()
    case .http2(let session): session.drain()
    }
    flush()
  }

  func abort() { stream.abort() }

  private func ended() {
    timer?.timer.cancel()
    let waiting = exchanges.values
    exchanges = [:]
    for exchange in waiting { exchange.gone() }
    server?.ended(self)
  }

  private func received(_ bytes: Slice) {
    let now = Loop.now()
    switch machine {
    case .http1(let server): handle(server.value.receive(bytes, now: now))
    case .http2(let session): handle(session.receive(bytes, now: now))
    }
    flush()
  }

  private func deadlineReached() {
    timer = nil
    let now = Loop.now()
    switch machine {
    case .http1(let server): handle(server.value.deadlineReached(now: now))
    case .http2(let session): handle(session.deadlineReached(now: now))
    }
    flush()
  }

  // MARK: Out

  private func flush() {
    let (out, isOver): (Bytes, Bool)
    switch machine {
    case .http1(let server): (out, isOver) = (server.value.output(), server.value.isClosed)
    case .http2(let session): (out, isOver) = (session.output(), session.isOver)
    }
    if !out.isEmpty { stream.write(out) }
    if isOver { close() } else { setTimer() }
  }

  /// Once: a second `close` of a stream would not wait for what is queued.
  private func close() {
    guard !isClosing else { return }
    isClosing = true
    timer?.timer.cancel()
    stream.close()
  }

  /// A deadline that moved away is looked at when the old one comes: it moves with every request.
  private func setTimer() {
    let deadline: Instant =
      switch machine {
      case .http1(let server): server.value.deadline
      case .http2(let session): session.deadline
      }
    guard deadline < (timer?.deadline ?? .distantFuture) else { return }
    timer?.timer.cancel()
    timer = (deadline, Loop.at(deadline) { [weak self] in self?.deadlineReached() })
  }

  // MARK: In

  private func handle(_ fresh: [HTTP1Server.Event]) {
    run(
      fresh.map {
        switch $0 {
        case .request(let request): .request(request, 0)
        case .refused(let error): .refused(error)
        }
      })
  }

  private func handle(_ fresh: [HTTP2Session.Event]) {
    run(
      fresh.compactMap {
        switch $0 {
        case .request(let request, let id): .request(request, id)
        case .refused(let error): .refused(error)
        case .streamEnded(let id, _): .gone(id)
        case .response, .streamsAllowed, .goAway, .pong: nil
        }
      })
  }

  private func run(_ fresh: [Event]) {
    events += fresh
    guard !isHandling else { return }
    isHandling = true
    while !events.isEmpty { run(events.removeFirst()) }
    isHandling = false
  }

  private func run(_ event: Event) {
    switch event {
    case .request(let request, let id):
      let exchange = HTTPExchange(self, stream: id)
      exchanges[id] = exchange
      if let server { server.handler(request, exchange) } else { abort() }
    case .refused(let error): server?.onRefused?(error)
    case .gone(let id): exchanges[id]?.gone()
    }
  }
}

/// What an exchange asks for.
extension HTTPServerConnection {
  func respond(_ response: HTTPResponse, on id: HTTP2StreamID) {
    let now = Loop.now()
    switch machine {
    case .http1(let server): handle(server.value.respond(response, now: now))
    case .http2(let session): session.respond(response, on: id, now: now)
    }
    flush()
  }

  func sendHeaders(_ response: HTTPResponse, on id: HTTP2StreamID) {
    switch machine {
    case .http1(let server): server.value.sendHeaders(response)
    case .http2(let session): session.sendHeaders(response, on: id)
    }
    flush()
  }

  func sendData(_ data: Bytes, on id: HTTP2StreamID) {
    switch machine {
    case .http1(let server): server.value.sendData(data)
    case .http2(let session): if !session.sendData(data, on: id) { exchanges[id]?.gone() }
    }
    flush()
  }

  func end(_ id: HTTP2StreamID) {
    let now = Loop.now()
    switch machine {
    case .http1(let server): handle(server.value.end(now: now))
    case .http2(let session): session.end(id, now: now)
    }
    flush()
  }

  func forget(_ id: HTTP2StreamID) { exchanges[id] = nil }
}
