import HTTP
import Network
import Primitives

/// One connection of a client: HTTP/2 with many requests at a time, or HTTP/1.1 with one.
@LoopActor
final class HTTPClientConnection {
  private enum Machine {
    case http1(InPlace<HTTP1Client>)
    case http2(HTTP2Session)
  }

  private let stream: any ByteStream
  private let limits: HTTPClientLimits
  /// Called whenever there may be room, and when it ended.
  private let onChange: @LoopActor (HTTPClientConnection) -> Void
  private var machine: Machine
  private var jobs: [HTTP2StreamID: HTTPClientJob] = [:]
  private var pingTimer: LoopTimer?
  private var lastReceived = Loop.now()
  private var isPinging = false
  private var isClosing = false
  private var isLeft = false
  private(set) var hasEnded = false

  init(_ stream: any ByteStream, limits: HTTPClientLimits, onChange: @escaping @LoopActor (HTTPClientConnection) -> Void) {
    self.stream = stream
    self.limits = limits
    self.onChange = onChange
    machine =
      stream.alpn == "h2"
      ? .http2(HTTP2Session(role: .client, limits: limits.http, now: lastReceived)) : .http1(InPlace(HTTP1Client(limits: limits.http)))
  }

  func start() {
    stream.onEnd = { [self] _ in ended() }
    stream.onBytes = { [weak self] in self?.received($0) }
    if isHTTP2 { schedulePing() }
    flush()
  }

  var isHTTP2: Bool { if case .http2 = machine { true } else { false } }

  var isIdle: Bool { jobs.isEmpty }

  /// Whether it will never take a request again.
  var isOver: Bool {
    if hasEnded || isLeft { return true }
    return switch machine {
    case .http1(let client): client.value.isClosed
    case .http2(let session): session.isOver || !session.allowsRequests
    }
  }

  var canSend: Bool {
    guard !isOver else { return false }
    return switch machine {
    case .http1(let client): client.value.isIdle && jobs.isEmpty
    case .http2(let session): session.canSend
    }
  }

  /// Only where `canSend`.
  func send(_ job: HTTPClientJob) {
    let id: HTTP2StreamID? =
      switch machine {
      case .http1(let client): client.value.send(job.request) ? 0 : nil
      case .http2(let session): session.send(job.request)
      }
    guard let id else { return job.complete(.failure(.notProcessed(.badRequest))) }
    jobs[id] = job
    job.connection = self
    flush()
  }

  /// HTTP/1.1 has no way to give up a response but to end the connection.
  func cancel(_ job: HTTPClientJob) {
    guard let id = jobs.first(where: { $0.value === job })?.key else { return }
    jobs[id] = nil
    switch machine {
    case .http1: stream.abort()
    case .http2(let session):
      session.cancel(id)
      flush()
      onChange(self)
    }
  }

  func close() {
    if case .http2(let session) = machine { session.end(.noError) }
    flush()
    closeStream()
  }

  func abort() { stream.abort() }

  var remote: SocketAddress { stream.remote }

  /// Takes no more requests, and ends with the last of those that it has.
  func leave() {
    isLeft = true
    closeIfLeft()
  }

  private func closeIfLeft() {
    if isLeft, jobs.isEmpty, !hasEnded, !isClosing { close() }
  }

  // MARK: In

  private func received(_ bytes: Slice) {
    lastReceived = Loop.now()
    switch machine {
    case .http1(let client): for event in client.value.receive(bytes) { handle(event) }
    case .http2(let session): for event in session.receive(bytes, now: lastReceived) { handle(event) }
    }
    flush()
    closeIfLeft()
    onChange(self)
  }

  private func ended() {
    hasEnded = true
    pingTimer?.cancel()
    switch machine {
    case .http1(let client): for event in client.value.receiveEnd() { handle(event) }
    case .http2(let session): for event in session.connectionLost() { handle(event) }
    }
    for job in jobs.values { job.complete(.failure(.unknown(.connectionLost))) }
    jobs = [:]
    onChange(self)
  }

  private func handle(_ event: HTTP1Client.Event) {
    guard let job = jobs.removeValue(forKey: 0) else { return }
    switch event {
    case .response(let response): job.complete(.success(response))
    case .failed(.cutShort): job.complete(.failure(.unknown(.connectionLost)))
    case .failed: job.complete(.failure(.unknown(.badResponse)))
    }
  }

  private func handle(_ event: HTTP2Session.Event) {
    switch event {
    case .response(let response, let id): jobs.removeValue(forKey: id)?.complete(.success(response))
    case .streamEnded(let id, let end): jobs.removeValue(forKey: id)?.complete(.failure(end.clientError))
    case .pong: isPinging = false
    case .request, .refused, .streamsAllowed, .goAway: break
    }
  }

  // MARK: Out

  private func flush() {
    let (out, isFinished): (Bytes, Bool)
    switch machine {
    case .http1(let client): (out, isFinished) = (client.value.output(), client.value.isClosed)
    case .http2(let session): (out, isFinished) = (session.output(), session.isOver)
    }
    if !out.isEmpty { stream.write(out) }
    if isFinished { closeStream() }
  }

  /// Once: a second `close` of a stream would not wait for what is queued.
  private func closeStream() {
    guard !isClosing else { return }
    isClosing = true
    stream.close()
  }

  /// A connection that was silent is asked whether it lives; one that does not answer is ended, and its requests with it.
  private func schedulePing() {
    pingTimer = Loop.at(lastReceived + (isPinging ? limits.pingAfter + limits.pongWithin : limits.pingAfter)) { [weak self] in
      self?.pingDue()
    }
  }

  private func pingDue() {
    guard case .http2(let session) = machine, !hasEnded else { return }
    let silence = Loop.now() - lastReceived
    if silence < limits.pingAfter {
      isPinging = false
    } else if isPinging {
      return stream.abort()
    } else {
      isPinging = true
      session.ping()
      flush()
    }
    schedulePing()
  }
}

extension HTTP2StreamEnd {
  fileprivate var clientError: HTTPClientError {
    switch self {
    case .notProcessed: .notProcessed(.ended)
    case .reset(let code): .unknown(.streamReset(code: code.rawValue))
    case .refused: .unknown(.badResponse)
    case .connectionLost: .unknown(.connectionLost)
    }
  }
}
