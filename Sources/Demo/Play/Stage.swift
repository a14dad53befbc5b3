import Cryptography
import Endpoints
import HTTP
import Network
import Node
import PhoneContract
import PhoneKit
import Primitives
import SIP
import Synchronization
import Telemetry

/// Everybody who takes part in one call, running in this process: provider, server, push service, phone. All ports are free ones of the
/// loopback, all files are in memory.
@LoopActor
final class Stage {
  let provider: ProviderStandIn
  let push: PushStandIn
  let server: Server
  let phone: Phone
  let client: PhoneClient
  let log: WrittenLog
  let account: AccountBody
  /// What the phone has of Apple: its device token.
  let token = Hex.encode([0] + SystemRandom.bytes(31))

  static let user = "alice"
  static let password = "wonderland"
  static let topic = "com.example.ringhold.voip"

  init(_ transport: TransportChoice) async throws {
    let authority = try CertificateAuthority(commonName: "Demo")
    var settings = ProviderSettings()
    settings.users = [Self.user: Self.password]
    settings.certificate = try authority.issue(names: [settings.domain], addresses: [.loopbackIPv4])
    provider = try ProviderStandIn(settings)
    push = try PushStandIn()
    log = WrittenLog()
    server = try Self.server(authority, push, log.log)
    phone = try Phone.generate()
    let address = server.addresses.https.first ?? SocketAddress(ip: .loopbackIPv4, port: 0)
    client = try PhoneClient(
      phone: phone, server: "https://localhost:\(address.port)", trustedPEM: authority.certificatePEM, address: address)
    let registrar = transport == .tls ? provider.tlsAddress ?? provider.address : provider.address
    account = AccountBody(
      registrar: registrar.text, user: Self.user, domain: settings.domain,
      credentials: [CredentialBody(user: Self.user, realm: settings.domain, password: Self.password, algorithm: .sha256)],
      transport: transport)
  }

  /// The embedded default, but for ports and what it trusts. The files have to be there only while the server starts.
  private static func server(_ authority: CertificateAuthority, _ push: PushStandIn, _ log: Log) throws -> Server {
    let identity = try authority.issue(names: ["localhost"], addresses: [.loopbackIPv4])
    let files = [identity.certificatePEM, identity.keyPEM, authority.certificatePEM, push.keyPEM, push.authority.certificatePEM]
      .compactMap { MemoryFile($0) }
    guard files.count == 5 else { throw Unexpected(expected: "files in memory", came: "none") }
    return try withExtendedLifetime(files) {
      let configuration = try Configuration.load(
        file: nil,
        environment: [
          "RINGHOLD_HTTPS_LISTEN": "127.0.0.1:0", "RINGHOLD_HTTPS_CERTIFICATE": files[0].path, "RINGHOLD_HTTPS_KEY": files[1].path,
          "RINGHOLD_ADMIN_LISTEN": "127.0.0.1:0", "RINGHOLD_SIP_LISTEN_UDP": "127.0.0.1:0", "RINGHOLD_SIP_LISTEN_TCP": "127.0.0.1:0",
          "RINGHOLD_SIP_LISTEN_TLS": "127.0.0.1:0", "RINGHOLD_SIP_PROVIDER_CA": files[2].path,
          "RINGHOLD_SIP_ALLOW_NETWORKS": "127.0.0.0/8", "RINGHOLD_PUSH_APNS_KEY": files[3].path, "RINGHOLD_PUSH_APNS_CA": files[4].path,
          "RINGHOLD_PUSH_APNS_KEY_ID": push.keyID, "RINGHOLD_PUSH_APNS_TEAM_ID": push.teamID, "RINGHOLD_PUSH_APNS_URL": push.url,
        ])
      return try Server(configuration, log: log)
    }
  }

  /// The page that Prometheus reads.
  func metrics() async throws -> String {
    let address = server.addresses.admin
    let client = HTTPClient(origin: HTTPOrigin(scheme: .http, host: address.ip.text, port: address.port), tls: nil)
    defer { client.close() }
    let response = try await client.send(HTTPRequest(method: "GET", authority: "", path: "/metrics"))
    try expect(response.status, 200, "status")
    return response.body.text
  }

  func close() async {
    client.close()
    await server.stop(within: .seconds(1))
    await push.stop()
    provider.close()
  }
}

/// All that the server has logged, at its most talkative.
final class WrittenLog: Sendable {
  private let bytes: Written
  let log: Log

  init() {
    let bytes = Written()
    self.bytes = bytes
    // The times in it are of no use here.
    log = Log(level: .debug, now: { .zero }) { part in
      bytes.all.withLock { $0 += part }
      return part.count
    }
  }

  var text: String { bytes.all.withLock { $0.text } }

  private final class Written: Sendable {
    let all = Mutex(Bytes())
  }
}
