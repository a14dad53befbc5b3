public import Primitives

/// How bytes travel (RFC 3261 §18).
public enum Transport: UInt8, Sendable, Hashable, CaseIterable {
  case udp, tcp, tls

  /// A reliable transport repeats by itself: the transaction machines then do not.
  public var isReliable: Bool { self != .udp }

  /// The protocol name of a Via (RFC 3261 §20.42).
  public var viaName: StaticString {
    switch self {
    case .udp: "UDP"
    case .tcp: "TCP"
    case .tls: "TLS"
    }
  }

  /// The port where a URI or a Via names none (RFC 3261 §19.1.2).
  public var defaultPort: UInt16 { self == .tls ? 5061 : 5060 }
}

/// Where a message came from, or goes to, as plain data.
public struct Flow: Hashable, Sendable {
  public var transport: Transport
  public var local: SocketAddress
  public var remote: SocketAddress
  /// The number of the connection on this node; 0 for UDP.
  public var connection: UInt64

  public init(transport: Transport, local: SocketAddress, remote: SocketAddress, connection: UInt64 = 0) {
    self.transport = transport
    self.local = local
    self.remote = remote
    self.connection = connection
  }
}

/// Where a response goes (RFC 3261 §18.2.2): over `flow` while it is open, else to a new connection to `fallback`, else to what
/// RFC 3263 finds for `sentBy`.
public struct ResponseTarget: Hashable, Sendable {
  public var flow: Flow
  /// The address that the request came from, with the port and the protocol that its Via names.
  public var fallback: Target
  /// Host and port of the top Via, as they stand there.
  public var sentBy: Bytes

  public init(flow: Flow, fallback: Target, sentBy: Bytes) {
    self.flow = flow
    self.fallback = fallback
    self.sentBy = sentBy
  }
}
