public import Cryptography
public import Primitives

/// Makes connections.
@LoopActor
public enum Connector {
  /// Connects, and makes the TLS handshake when `tls` says with which context and to whom.
  /// - Parameters:
  ///   - source: the local address to connect from.
  ///   - timeout: for all of it.
  ///   - completion: called once, never from within this call.
  public static func connect(
    to address: SocketAddress, tls: (context: TLSContext, identity: ServerIdentity)? = nil, from source: IPAddress? = nil,
    timeout: Duration = .seconds(5), limits: StreamLimits = .init(),
    completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
  ) {
    let attempt = ConnectAttempt(completion)
    attempt.timer = Loop.after(timeout) { attempt.finish(.failure(.timedOut)) }
    do throws(NetworkError) {
      attempt.connection = try TCPConnection(to: address, from: source, limits) { result in
        attempt.connected(result, tls, limits)
      }
    } catch {
      Loop.soon { attempt.finish(.failure(error)) }
    }
  }

  public static func connect(
    to address: SocketAddress, tls: (context: TLSContext, identity: ServerIdentity)? = nil, from source: IPAddress? = nil,
    timeout: Duration = .seconds(5), limits: StreamLimits = .init()
  ) async throws(NetworkError) -> any ByteStream {
    let result = await withCheckedContinuation { continuation in
      connect(to: address, tls: tls, from: source, timeout: timeout, limits: limits) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}

/// One connection on its way. Whatever comes first ends it: success, failure or the time limit.
@LoopActor
private final class ConnectAttempt {
  var timer: LoopTimer?
  var connection: TCPConnection?
  private var completion: (@LoopActor (Result<any ByteStream, NetworkError>) -> Void)?

  init(_ completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void) { self.completion = completion }

  func connected(
    _ result: Result<Void, NetworkError>, _ tls: (context: TLSContext, identity: ServerIdentity)?, _ limits: StreamLimits
  ) {
    guard completion != nil, let connection else { return }
    switch result {
    case .failure(let error): finish(.failure(error))
    case .success:
      guard let tls else { return finish(.success(connection)) }
      var limits = limits
      // The attempt's own time limit holds for the handshake too.
      limits.handshake = .seconds(3600)
      TLSConnection.shakeHands(over: connection, as: .client(tls.identity), with: tls.context, limits: limits) { [self] in
        finish($0.map { $0 as any ByteStream })
      }
    }
  }

  func finish(_ result: Result<any ByteStream, NetworkError>) {
    guard let completion else { return }
    self.completion = nil
    timer?.cancel()
    // A handshake that failed closes by itself, so that its alert goes out.
    if case .failure(let error) = result, error == .timedOut { connection?.abort() }
    connection = nil
    completion(result)
  }
}
