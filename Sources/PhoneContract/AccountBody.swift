public import Primitives

/// The account of a set-up: where it is registered and as whom.
public struct AccountBody: Body, Discreet {
  public var registrar: String
  public var user: String
  public var domain: String?
  public var authUser: String?
  public var credentials: [CredentialBody]
  public var transport: TransportChoice
  public var outboundProxy: String?
  /// Seconds that are asked of the registrar.
  public var expires: Int?

  public init(
    registrar: String, user: String, domain: String? = nil, authUser: String? = nil, credentials: [CredentialBody],
    transport: TransportChoice = .auto, outboundProxy: String? = nil, expires: Int? = nil
  ) {
    self.registrar = registrar
    self.user = user
    self.domain = domain
    self.authUser = authUser
    self.credentials = credentials
    self.transport = transport
    self.outboundProxy = outboundProxy
    self.expires = expires
  }

  enum CodingKeys: String, CodingKey {
    case registrar, user, domain, credentials, transport, expires
    case authUser = "auth_user"
    case outboundProxy = "outbound_proxy"
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    registrar = try members.text(.registrar, .host)
    user = try members.text(.user, .user)
    domain = try members.optionalText(.domain, .host)
    authUser = try members.optionalText(.authUser, .printable)
    credentials = try members.decode([CredentialBody].self, forKey: .credentials)
    transport = try members.decode(TransportChoice.self, forKey: .transport)
    outboundProxy = try members.optionalText(.outboundProxy, .proxy)
    expires = try members.optionalNumber(.expires, in: 60...86_400)
    // Two answers to one challenge would leave open which of them is meant.
    let asked = Set(credentials.map { ChallengeBody(realm: $0.realm, algorithm: $0.algorithm.rawValue) })
    guard (1...8).contains(credentials.count), asked.count == credentials.count else { throw members.wrong(.credentials) }
  }
}

/// One HA1: the hash of user, realm and password that answers a digest challenge (RFC 7616 §3.4.2).
public struct CredentialBody: Body, Discreet {
  public var realm: String
  public var algorithm: DigestAlgorithm
  /// Lower-case hexadecimal digits, as many as the algorithm has.
  public var ha1: String

  public init(realm: String, algorithm: DigestAlgorithm, ha1: String) {
    self.realm = realm
    self.algorithm = algorithm
    self.ha1 = ha1
  }

  enum CodingKeys: String, CodingKey { case realm, algorithm, ha1 }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    realm = try members.text(.realm, .printable)
    algorithm = try members.decode(DigestAlgorithm.self, forKey: .algorithm)
    ha1 = try members.text(.ha1, .hex).lowercased()
    guard ha1.utf8.count == algorithm.hexLength else { throw members.wrong(.ha1) }
  }
}

/// What the registrar asks for. The algorithm as it says it: it may be one that no HA1 can be given for.
public struct ChallengeBody: Body, Hashable {
  public var realm: String
  public var algorithm: String

  public init(realm: String, algorithm: String) {
    self.realm = realm
    self.algorithm = algorithm
  }
}
