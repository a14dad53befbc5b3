public import Primitives
public import SIP

/// What the provider stand-in is like.
public struct ProviderSettings: Sendable {
  /// Its SIP domain, which is also the realm.
  public var domain = "provider.example"
  /// Names and passwords.
  public var users: [String: String] = ["alice": "wonderland"]
  /// What it challenges with, in this order.
  public var algorithms: [DigestAlgorithm] = [.sha256, .md5]
  /// In seconds: less is 423, more is cut.
  public var shortestExpires: UInt32 = 60
  public var longestExpires: UInt32 = 3600
  /// How long a nonce is good; after that the answer is 401 with `stale`.
  public var nonceLifetime: Duration = .seconds(300)
  /// Takes a free port where it is 0. UDP and TCP have the same one.
  public var listen = SocketAddress(ip: .loopbackIPv4, port: 0)
  /// With it, TLS is spoken too, on a port of its own.
  public var certificate: (certificatePEM: Bytes, keyPEM: Bytes)?

  public init() {}
}

/// What happened at the provider's registrar.
public enum ProviderEvent: Sendable, Hashable {
  case challenged(user: String)
  case registered(user: String, DigestAlgorithm, Transport, expires: UInt32)
  /// The same binding again.
  case refreshed(user: String, expires: UInt32)
  case unregistered(user: String)
  case refused(user: String, status: Int)
  /// The connection that the user registered over has ended.
  case connectionLost(user: String)
}

/// Where a user wants his calls.
public struct ProviderBinding: Sendable, Hashable {
  /// The URI of his Contact.
  public let contact: Bytes
  public internal(set) var flow: Flow
  public internal(set) var expires: UInt32
  public internal(set) var until: Instant
  /// Whether the flow can still be used.
  public internal(set) var isReachable = true
  let callID: Bytes
  var cseq: UInt32
}
