public import Cryptography
public import Network
public import Primitives
public import SIP

/// Where a SIP endpoint listens, and the numbers that bound it.
public struct SIPSettings: Sendable {
  /// One address per family at most; port 0 takes a free one.
  public var udp: [SocketAddress] = []
  public var tcp: [SocketAddress] = []
  public var tls: [SocketAddress] = []
  /// Host for Via and Contact where the address that peers see is not one of this machine's; an IPv6 address without brackets.
  public var advertise: String?
  /// For the listeners; required where there is one for TLS.
  public var serverTLS: TLSContext?
  /// For outgoing connections; without it there are none over TLS.
  public var clientTLS: TLSContext?
  public var listener = ListenerLimits()
  /// For outgoing connections.
  public var stream = StreamLimits()
  public var outgoingConnections = 10_000
  public var connectTimeout = Duration.seconds(5)
  /// From the first byte of a message on a stream to its last.
  public var partialMessage = Duration.seconds(10)
  /// From an accepted connection to its first message or keep-alive.
  public var firstMessage = Duration.seconds(10)
  /// How long a connection that nobody keeps alive may be silent.
  public var idle = Duration.seconds(900)
  /// From a keep-alive ping to its pong (RFC 5626 §4.4.1).
  public var pong = Duration.seconds(10)
  /// Bytes that wait for one outgoing connection to be made.
  public var queuedWhileConnecting = 256 * 1024
  public var rates = SIPRates()
  public var addresses = AddressPolicy()

  public init() {}
}

/// Datagrams and messages per second and source address (one IPv6 /64).
public struct SIPRates: Sendable {
  public var messages = 5000
  /// The same for a source that `SIPEndpoint.isProvider` knows: all calls of a provider come from a few addresses.
  public var providerMessages = 50_000
  /// Answers to what is malformed; more than that are met with silence.
  public var refusals = 10
  /// Sources that are counted at once.
  public var sources = 10_000

  public init() {}
}

/// What an endpoint counted since it was made.
public struct SIPCounters: Sendable, Hashable {
  public var messages = 0
  /// Malformed messages that were answered.
  public var refused = 0
  /// Malformed messages that were not answered.
  public var dropped = 0
  /// Messages of known scanners.
  public var scanners = 0
  /// Messages over the rate of their source.
  public var overRate = 0
  /// Connections that were ended because a message came too slowly, or none.
  public var slow = 0
  /// Keep-alive pings without a pong.
  public var noPong = 0
  /// Responses that could not be delivered over any connection.
  public var undeliverable = 0

  public init() {}
}

/// Where requests of ours go.
public struct SIPHop: Hashable, Sendable {
  public var target: Target
  /// Who has to be there, for TLS. None fits nobody.
  public var identity: ServerIdentity?
  /// nil: over a connection that all share who would verify it the same way; else one of this owner's own.
  public var owner: UInt64?

  public init(_ target: Target, identity: ServerIdentity? = nil, owner: UInt64? = nil) {
    self.target = target
    self.identity = identity
    self.owner = owner
  }
}
