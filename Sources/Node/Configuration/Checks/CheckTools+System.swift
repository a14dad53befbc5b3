import Cryptography
import Network
import Primitives
import Telemetry

extension CheckTools {
  /// The real ones: OpenSSL, the kernel's clock, and names by the name servers of the configuration.
  public static func system(_ configuration: Configuration) -> CheckTools {
    let nameServers = configuration.nameServers
    return CheckTools(
      certificate: certificate,
      isTrustStore: { (try? TLSContext.client(trust: .pem($0), alpn: [])) != nil },
      isP256Key: { (try? SigningPrivateKey(pem: $0))?.algorithm == .p256 },
      addresses: { await resolve($0, nameServers) },
      now: WallClock.now)
  }

  @Sendable private static func certificate(_ chain: Bytes, _ key: Bytes, _ name: String) -> Certificate? {
    CertificateSummary(chainPEM: chain, keyPEM: key, host: name).map {
      Certificate(notBefore: $0.notBefore, notAfter: $0.notAfter, fitsKey: $0.fitsKey, coversName: $0.namesHost)
    }
  }

  @LoopActor private static func resolve(_ name: String, _ servers: [SocketAddress]) async -> [IPAddress] {
    guard let resolver = try? Resolver(servers: servers) else { return [] }
    defer { resolver.close() }
    return (try? await resolver.addresses(of: name)) ?? []
  }
}
