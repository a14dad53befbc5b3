public import Cryptography
public import Endpoints
import HTTP
public import Network
public import Primitives

/// How a node reaches Apple's push service.
public struct APNsConfiguration: Sendable {
  public var keyID: String
  public var teamID: String
  /// On P-256, from the `.p8` file.
  public var key: SigningPrivateKey
  /// In place of Apple's services, for both environments.
  public var origin: HTTPOrigin?
  public var trust: TLSContext.Trust

  public init(keyID: String, teamID: String, key: SigningPrivateKey, origin: HTTPOrigin? = nil, trust: TLSContext.Trust = .system) {
    self.keyID = keyID
    self.teamID = teamID
    self.key = key
    self.origin = origin
    self.trust = trust
  }
}

extension APNsSender {
  /// - Parameter resolver: for the name of the service.
  /// - Throws: where the trusted certificates cannot be read.
  public convenience init(_ configuration: APNsConfiguration, resolver: Resolver, random: SeededRandom) throws(TLSError) {
    let tls = try TLSContext.client(trust: configuration.trust, alpn: ["h2"])
    func client(_ origin: HTTPOrigin) -> HTTPClient {
      HTTPClient(origin: origin, tls: origin.scheme == .https ? tls : nil, resolver: resolver, limits: Self.limits)
    }
    let production = client(configuration.origin ?? HTTPOrigin(scheme: .https, host: "api.push.apple.com"))
    let development = configuration.origin == nil ? client(HTTPOrigin(scheme: .https, host: "api.sandbox.push.apple.com")) : production
    let token = ProviderToken(keyID: configuration.keyID, teamID: configuration.teamID, key: configuration.key)
    self.init(token: token, production: production, development: development, random: random)
  }

  private static var limits: HTTPClientLimits {
    var limits = HTTPClientLimits()
    limits.queued = APNsMachine.Limits().pushes
    limits.http.streams = 1000
    // A ringing call waits for this connection: one that is dead has to be found out before the next push needs it.
    limits.pongWithin = .seconds(5)
    limits.connectTime = .seconds(3)
    return limits
  }
}
