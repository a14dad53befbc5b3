public import Cryptography
public import HTTP
public import Network
public import Primitives

/// What requests to one server may cost.
public struct HTTPClientLimits: Sendable {
  public var http = HTTPLimits()
  /// Requests that wait for a connection or a free stream.
  public var queued = 1000
  /// HTTP/1.1 takes one request at a time on each connection.
  public var http1Connections = 4
  public var connectTime: Duration = .seconds(5)
  /// HTTP/2: a connection silent for so long is asked whether it lives, and is ended without an answer within the second time.
  public var pingAfter: Duration = .seconds(30)
  public var pongWithin: Duration = .seconds(10)

  public init() {}
}

/// Sends requests to one server: over one HTTP/2 connection, with as many streams as the server allows, or where it does not speak
/// HTTP/2 over a few HTTP/1.1 connections. Connects when there is a request, and again after the server ended the connection.
@LoopActor
public final class HTTPClient {
  public let origin: HTTPOrigin
  /// Told where a connection ended that this client did not close, after the requests on it have failed.
  public var onConnectionLost: (@LoopActor () -> Void)?
  private let tls: TLSContext?
  private let identity: ServerIdentity
  private let resolver: Resolver?
  private let address: SocketAddress?
  private let limits: HTTPClientLimits
  private var waiting: [HTTPClientJob] = []
  private var connections: [HTTPClientConnection] = []
  private var isConnecting = false
  private var isClosed = false
  /// Where the server could not serve.
  private var lastResort: IPAddress?

  /// - Parameters:
  ///   - tls: a client context whose ALPN offers `h2` and `http/1.1`; for an `https` origin.
  ///   - identity: whom the certificate must name; the origin's host where nil.
  ///   - resolver: for a host that is a name, where `address` does not say where it is.
  public init(
    origin: HTTPOrigin, tls: TLSContext?, identity: ServerIdentity? = nil, resolver: Resolver? = nil, address: SocketAddress? = nil,
    limits: HTTPClientLimits = .init()
  ) {
    self.origin = origin
    self.tls = tls
    self.identity = identity ?? ServerIdentity(host: origin.host)
    self.resolver = resolver
    self.address = address ?? IPAddress(origin.host).map { SocketAddress(ip: $0, port: origin.port) }
    self.limits = limits
  }

  /// The response, whatever its status. `timeout` is for all of it, waiting included. Scheme and authority are set to the origin's.
  public func send(_ request: HTTPRequest, timeout: Duration = .seconds(10)) async throws(HTTPClientError) -> HTTPResponse {
    let result = await withCheckedContinuation { continuation in
      send(request, timeout: timeout) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// The same with a callback, which is called once, possibly from within this call.
  @discardableResult
  public func send(
    _ request: HTTPRequest, timeout: Duration = .seconds(10),
    completion: @escaping @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void
  ) -> HTTPClientCall {
    var request = request
    request.scheme = origin.scheme.rawValue
    request.authority = origin.authority
    let job = HTTPClientJob(request, completion)
    let call = HTTPClientCall(abandoning: { [weak self, weak job] in if let job { self?.abandon(job) } }) { [weak self, weak job] in
      job.map { self?.withdraw($0) ?? false } ?? false
    }
    guard !isClosed, waiting.count < limits.queued else {
      job.complete(.failure(.notProcessed(isClosed ? .closed : .queueFull)))
      return call
    }
    waiting.append(job)
    job.timer = Loop.after(timeout) { [weak self, weak job] in if let job { self?.timedOut(job) } }
    pump()
    return call
  }

  private func abandon(_ job: HTTPClientJob) {
    guard !job.isDone, !withdraw(job) else { return }
    job.forget()
    job.connection?.cancel(job)
  }

  /// Whether it still waited here.
  private func withdraw(_ job: HTTPClientJob) -> Bool {
    guard let place = waiting.firstIndex(where: { $0 === job }) else { return false }
    waiting.remove(at: place).forget()
    return true
  }

  /// Ends every connection; what waits fails.
  public func close() {
    isClosed = true
    failWaiting(.closed)
    for connection in connections { connection.close() }
  }

  /// Ends every connection without a word: what is under way fails at once, as it does where a peer has died.
  public func abort() {
    isClosed = true
    failWaiting(.closed)
    for connection in connections { connection.abort() }
  }

  /// Whoever is connected cannot serve now: the requests to come go to another of the host's addresses, where it has one. What is under
  /// way is waited for.
  public func tryElsewhere() {
    guard address == nil, let current = connections.last(where: { !$0.isOver }) else { return }
    lastResort = current.remote.ip
    for connection in connections where connection.remote.ip == lastResort { connection.leave() }
  }

  /// Requests that wait for a connection or a stream.
  public var queuedCount: Int { waiting.count }

  private func timedOut(_ job: HTTPClientJob) {
    if let connection = job.connection {
      connection.cancel(job)
      job.complete(.failure(.unknown(.timedOut)))
    } else {
      waiting.removeAll { $0 === job }
      job.complete(.failure(.notProcessed(.timedOut)))
    }
  }

  private func pump() {
    while !waiting.isEmpty, let connection = connections.first(where: \.canSend) { connection.send(waiting.removeFirst()) }
    if !waiting.isEmpty, !isConnecting, mayConnect { connect() }
  }

  /// One HTTP/2 connection at a time, beside those that only finish what they have.
  private var mayConnect: Bool {
    let usable = connections.filter { !$0.isOver }
    return usable.isEmpty || usable.allSatisfy { !$0.isHTTP2 } && usable.count < limits.http1Connections
  }

  private func changed(_ connection: HTTPClientConnection) {
    if connection.hasEnded {
      connections.removeAll { $0 === connection }
      if !isClosed { onConnectionLost?() }
    }
    pump()
  }

  // MARK: Connecting

  private func connect() {
    isConnecting = true
    if let address { return connect(to: [address][...]) }
    guard let resolver else { return failed(.nameNotFound) }
    resolver.addresses(of: origin.host) { [self] result in
      switch result {
      case .success(let answer): connect(to: inOrder(answer.records.prefix(4)).map { SocketAddress(ip: $0, port: origin.port) }[...])
      case .failure(let error): failed(error)
      }
    }
  }

  private func inOrder(_ addresses: ArraySlice<IPAddress>) -> [IPAddress] {
    addresses.filter { $0 != lastResort } + addresses.filter { $0 == lastResort }
  }

  /// One address after the other.
  private func connect(to addresses: ArraySlice<SocketAddress>, last: NetworkError = .nameNotFound) {
    guard let address = addresses.first, !isClosed else { return failed(last) }
    let tls = tls.map { (context: $0, identity: identity) }
    guard (tls != nil) == (origin.scheme == .https) else { return failed(.notPermitted) }
    Connector.connect(to: address, tls: tls, timeout: limits.connectTime) { [self] result in
      switch result {
      case .success(let stream): connected(stream)
      case .failure(let error): connect(to: addresses.dropFirst(), last: error)
      }
    }
  }

  private func connected(_ stream: any ByteStream) {
    isConnecting = false
    guard !isClosed else { return stream.abort() }
    let connection = HTTPClientConnection(stream, limits: limits) { [weak self] in self?.changed($0) }
    connections.append(connection)
    connection.start()
    pump()
  }

  /// The requests that waited for this connection fail; a later one tries again. With other connections they wait for those.
  private func failed(_ error: NetworkError) {
    isConnecting = false
    if connections.allSatisfy(\.isOver) { failWaiting(.noConnection(error)) }
  }

  private func failWaiting(_ cause: HTTPClientError.Cause) {
    let jobs = waiting
    waiting = []
    for job in jobs { job.complete(.failure(.notProcessed(cause))) }
  }
}
