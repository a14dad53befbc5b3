internal import CLibUV
public import Cryptography
public import Primitives

/// How many connections a listener holds.
public struct ListenerLimits: Sendable {
  public var connections = 10_000
  /// From one IPv4 address, or one IPv6 /64.
  public var connectionsPerPeer = 200
  /// Waiting in the system to be accepted.
  public var backlog: Int32 = 1024
  public var stream = StreamLimits()

  public init() {}
}

/// Accepts TCP connections, and makes the TLS handshake with each when it has a context.
@LoopActor
public final class TCPListener {
  public private(set) var local: SocketAddress
  /// For connections that come after it was set.
  public var tls: TLSContext?
  /// Connections that were closed at once because a limit was reached.
  public private(set) var refused = 0
  public private(set) var connections = 0

  private let limits: ListenerLimits
  private let accept: @LoopActor (any ByteStream) -> Void
  private var handle: UVHandle?
  private var perPeer: [Bytes: Int] = [:]

  /// Port 0 takes a free one. An IPv6 listener takes IPv6 only. `accept` gets each connection when it can carry bytes.
  public init(
    bind address: SocketAddress, tls: TLSContext? = nil, limits: ListenerLimits = .init(),
    accept: @escaping @LoopActor (any ByteStream) -> Void
  ) throws(NetworkError) {
    local = address
    self.tls = tls
    self.limits = limits
    self.accept = accept
    let handle = unsafe try UVHandle(owner: self) { unsafe uv_tcp_init($0, $1) }
    self.handle = handle
    let flags = address.ip.isIPv6 ? UInt32(UV_TCP_IPV6ONLY.rawValue) : 0
    try handle.check(unsafe address.withSystemAddress { unsafe uv_tcp_bind(handle.tcp, $0, flags) })
    let status = unsafe uv_listen(handle.stream, limits.backlog) { stream, status in
      unsafe enterLoop(stream, as: TCPListener.self) { $0.connectionWaits(status) }
    }
    try handle.check(status)
    local = unsafe SocketAddress(reading: { unsafe uv_tcp_getsockname(handle.tcp, $0, $1) }) ?? address
  }

  private func connectionWaits(_ status: Int32) {
    guard status == 0, let handle, handle.isOpen,
      let connection = try? TCPConnection(acceptedBy: handle, at: local, limits.stream)
    else { return }
    let peer = key(of: connection.remote.ip)
    guard connections < limits.connections, perPeer[peer, default: 0] < limits.connectionsPerPeer else {
      refused += 1
      return connection.abort()
    }
    count(peer, 1)
    connection.onGone = { [weak self] in self?.count(peer, -1) }
    offer(connection)
  }

  private func offer(_ connection: TCPConnection) {
    guard let tls else { return accept(connection) }
    TLSConnection.shakeHands(over: connection, as: .server, with: tls, limits: limits.stream) { [weak self] result in
      guard case .success(let stream) = result else { return }
      if let self, handle?.isOpen == true { accept(stream) } else { stream.abort() }
    }
  }

  private func count(_ peer: Bytes, _ change: Int) {
    connections += change
    let number = perPeer[peer, default: 0] + change
    perPeer[peer] = number > 0 ? number : nil
  }

  /// Whoever has one IPv6 address has the /64 around it.
  private func key(of address: IPAddress) -> Bytes { Array(address.bytes.prefix(address.isIPv6 ? 8 : 4)) }

  /// Accepts no more; the connections that it gave stay.
  public func close() { handle?.close() }
}
