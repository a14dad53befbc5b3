public import Cryptography
public import HTTP
public import Network
public import Primitives

/// What an HTTP server's clients may cost.
public struct HTTPServerLimits: Sendable {
  public var http = HTTPLimits()
  public var listener = ListenerLimits()
  /// A connection on which nothing came for so long is ended, whatever is under way on it; nil: a client that waits may be silent.
  public var silence: Duration?

  public init() {}
}

/// Serves HTTP on one address: with TLS HTTP/2 or HTTP/1.1, as ALPN chooses; without TLS HTTP/1.1.
@LoopActor
public final class HTTPServer {
  /// Gets each request once, and answers it through the exchange, now or later.
  public typealias Handler = @LoopActor (HTTPRequest, HTTPExchange) -> Void

  /// Called for each request that was refused without the handler; for a metric.
  public var onRefused: (@LoopActor (HTTPError) -> Void)?

  let limits: HTTPLimits
  let silence: Duration?
  let refusal: HTTPRefusal
  let handler: Handler
  private var listener: TCPListener?
  private var connections: [ObjectIdentifier: HTTPServerConnection] = [:]
  private var isStopping = false
  private var stopped: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - address: port 0 takes a free one.
  ///   - tls: a context whose ALPN offers `h2` and `http/1.1`; nil for plain HTTP/1.1.
  ///   - refusal: the response to what never becomes a request.
  public init(
    listen address: SocketAddress, tls: TLSContext?, limits: HTTPServerLimits = .init(),
    refusal: @escaping HTTPRefusal = HTTPResponse.plainRefusal, handler: @escaping Handler
  ) throws(NetworkError) {
    self.limits = limits.http
    silence = limits.silence
    self.refusal = refusal
    self.handler = handler
    let scheme = tls == nil ? "http" : "https"
    listener = try TCPListener(bind: address, tls: tls, limits: limits.listener) { [weak self] in self?.accept($0, scheme) }
  }

  /// Where it listens; nil once it stops.
  public var local: SocketAddress? { listener?.local }

  public var connectionCount: Int { connections.count }

  /// Connections that were closed at once, for a limit.
  public var refusedConnections: Int { listener?.refused ?? 0 }

  /// For connections that come from now on.
  public func replace(tls: TLSContext) { listener?.tls = tls }

  /// Takes no more connections, lets the requests under way finish, and ends what is left after `limit`.
  public func stop(within limit: Duration) async {
    isStopping = true
    listener?.close()
    listener = nil
    for connection in connections.values { connection.drain() }
    guard !connections.isEmpty else { return }
    let timer = Loop.after(limit) { [weak self] in self?.abortConnections() }
    await withCheckedContinuation { stopped.append($0) }
    timer.cancel()
  }

  /// Ends every connection at once, whatever it was doing.
  public func abortConnections() {
    for connection in connections.values { connection.abort() }
  }

  private func accept(_ stream: any ByteStream, _ scheme: String) {
    let connection = HTTPServerConnection(stream, scheme: scheme, server: self)
    connections[ObjectIdentifier(connection)] = connection
    connection.start()
    if isStopping { connection.drain() }
  }

  func ended(_ connection: HTTPServerConnection) {
    connections[ObjectIdentifier(connection)] = nil
    guard isStopping, connections.isEmpty else { return }
    for continuation in stopped { continuation.resume() }
    stopped = []
  }
}
