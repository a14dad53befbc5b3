public import Primitives

/// One SIP account at a provider, with its credentials and devices.
public struct Account: Hashable, Sendable, Discreet {
  public let id: AccountID
  public var registrar: String
  public var user: String
  public var domain: String
  public var authUser: String?
  public var credentials: [Credential]
  public var transport: Transport
  public var outboundProxy: String?
  /// Seconds that are asked of the registrar; nil for the server's own number.
  public var expires: Int?
  public var devices: [Device]

  /// What the user chose; `auto` leaves it to RFC 3263.
  public enum Transport: UInt8, Sendable, CaseIterable {
    case auto = 1
    case tls, tcp, udp
  }

  public init(
    id: AccountID, registrar: String, user: String, domain: String, authUser: String? = nil, credentials: [Credential],
    transport: Transport = .auto, outboundProxy: String? = nil, expires: Int? = nil, devices: [Device] = []
  ) {
    self.id = id
    self.registrar = registrar
    self.user = user
    self.domain = domain
    self.authUser = authUser
    self.credentials = credentials
    self.transport = transport
    self.outboundProxy = outboundProxy
    self.expires = expires
    self.devices = devices
  }

  public var shown: String { id.description }

  public func device(_ id: DeviceID) -> Device? { devices.first { $0.id == id } }
}

/// One HA1 and the challenge that it answers (RFC 7616 §3.4.2).
public struct Credential: Hashable, Sendable, Discreet {
  public let realm: String
  public let algorithm: Algorithm
  public let ha1: Bytes

  public enum Algorithm: UInt8, Sendable, CaseIterable {
    case md5 = 1
    case sha256
    /// SHA-512/t of FIPS 180-4 §5.3.6 with t = 256.
    case sha512t256
  }

  public init(realm: String, algorithm: Algorithm, ha1: Bytes) {
    self.realm = realm
    self.algorithm = algorithm
    self.ha1 = ha1
  }
}
