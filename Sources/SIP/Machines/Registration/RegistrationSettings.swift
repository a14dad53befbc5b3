public import Primitives

/// What an account wants registered, and where. Plain data from the set-up.
public struct RegistrationSettings: Sendable, Hashable {
  /// The Request-URI: `sip:example.net`.
  public var registrar: Bytes
  /// `sip:alice@example.net`.
  public var addressOfRecord: Bytes
  /// The user name of the digest.
  public var username: Bytes
  /// The user part of our Contact: only the cluster can link it to the account, and no other binding has it.
  public var token: Bytes
  /// Seconds; asked for each time, whatever was granted last.
  public var expires: UInt32
  /// Host and port of our Contact for each transport that may be used.
  public var contactAddresses: [Transport: Bytes]
  /// Option tags for Supported: `path`, `outbound`, `gruu`.
  public var options: [Bytes]
  /// The URN for `+sip.instance` (RFC 5626 §4.1); used while `outbound` is among the options.
  public var instance: Bytes?

  public init(
    registrar: Bytes, addressOfRecord: Bytes, username: Bytes, token: Bytes, expires: UInt32 = 600, contactAddresses: [Transport: Bytes],
    options: [Bytes] = [], instance: Bytes? = nil
  ) {
    self.registrar = registrar
    self.addressOfRecord = addressOfRecord
    self.username = username
    self.token = token
    self.expires = expires
    self.contactAddresses = contactAddresses
    self.options = options
    self.instance = instance
  }
}

/// How a registration stands, as the phone contract names it.
public struct RegistrationStatus: Sendable, Hashable {
  public enum State: String, Sendable, Hashable {
    case registering, registered
    /// No HA1 fits, or the one that fits is wrong.
    case credentialsNeeded = "credentials-needed"
    /// The provider said no.
    case rejected
    case unreachable
  }

  /// What the registrar asked for; the algorithm may be one that no HA1 can be given for.
  public struct Demand: Sendable, Hashable {
    public let realm: Bytes
    public let algorithm: Bytes

    public init(realm: Bytes, algorithm: Bytes) {
      self.realm = realm
      self.algorithm = algorithm
    }
  }

  public var state: State
  /// Of the live binding.
  public var transport: Transport?
  public var demands: [Demand] = []
  /// When the next try is, unless it is registered.
  public var retryAt: Instant?

  public init(state: State, transport: Transport? = nil, demands: [Demand] = [], retryAt: Instant? = nil) {
    self.state = state
    self.transport = transport
    self.demands = demands
    self.retryAt = retryAt
  }
}

/// What the registrar keeps for us, from its last 2xx.
public struct RegistrationBinding: Sendable, Hashable {
  public let target: Target
  /// Our Contact's URI as we sent it.
  public let contact: Bytes
  public let expiresAt: Instant
  /// Header field values as they came: Service-Route for requests of ours outside a dialog (RFC 3608); Path (RFC 3327) is no route.
  public let serviceRoutes: [Bytes]
  public let path: [Bytes]
  /// Further identities of the account (RFC 7315 §4.1).
  public let associatedURIs: [Bytes]
  /// RFC 5627 §4.2.
  public let publicGRUU: Bytes?
}
