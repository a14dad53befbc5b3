import Cryptography
import Network
import Primitives
import RedisStore
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
      redisTrouble: redisTrouble,
      now: WallClock.now)
  }

  @Sendable private static func certificate(_ chain: Bytes, _ key: Bytes, _ name: String) -> Certificate? {
    CertificateSummary(chainPEM: chain, keyPEM: key, host: name).map {
      Certificate(notBefore: $0.notBefore, notAfter: $0.notAfter, fitsKey: $0.fitsKey, coversName: $0.namesHost)
    }
  }

  @Sendable @LoopActor private static func redisTrouble(_ configuration: Configuration) async -> Trouble? {
    guard let settings = try? RedisSettings(configuration.redis), let resolver = try? Resolver(servers: configuration.nameServers) else {
      return nil
    }
    defer { resolver.close() }
    var random = SystemRandom()
    let connection = RedisConnection(settings, resolver: resolver, random: SeededRandom(from: &random))
    connection.start()
    defer { connection.stop() }
    do throws(RedisTrouble) {
      try await connection.waitUntilAnswering(within: .seconds(3))
      return nil
    } catch {
      return Trouble(text: error.explanation, isFinal: error.isFinal)
    }
  }

  @LoopActor private static func resolve(_ name: String, _ servers: [SocketAddress]) async -> [IPAddress] {
    guard let resolver = try? Resolver(servers: servers) else { return [] }
    defer { resolver.close() }
    return (try? await resolver.addresses(of: name)) ?? []
  }
}
