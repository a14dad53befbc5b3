public import Cryptography
import Endpoints
import HTTP
public import Network
public import Primitives

/// A small push service on the loopback that behaves as Apple documents its own: HTTP/2 over TLS, provider tokens, and the answers that
/// `PushDesk` lists. Everything is in memory.
@LoopActor
public final class PushStandIn {
  private let identity: PushIdentity
  /// Called for each request, after its answer.
  public var onRecord: (@LoopActor (PushRecord) -> Void)? {
    get { journal.onEntry }
    set { journal.onEntry = newValue }
  }
  public let keyID = "DEMOKEY123"
  public let teamID = "DEMOTEAM12"
  public let address: SocketAddress

  private let server: HTTPServer
  private let journal: Journal<PushRecord>

  /// Listens at once. Throws `NetworkError`, or what makes the certificates.
  public init(listen: SocketAddress = SocketAddress(ip: .loopbackIPv4, port: 0), identity: PushIdentity? = nil) throws {
    let identity = try identity ?? .make()
    self.identity = identity
    let (certificate, key) = try identity.authority.issue(names: ["localhost"], addresses: [listen.ip])
    let publicKey = try SigningPrivateKey(pem: identity.keyPEM).publicKey
    let journal = Journal<PushRecord>()
    var desk = PushDesk(ProviderTokenCheck(key: publicKey, keyID: keyID, teamID: teamID))
    server = try HTTPServer(
      listen: listen, tls: .server(certificatePEM: certificate, keyPEM: key, alpn: ["h2"])
    ) { request, exchange in
      let (record, answer) = desk.take(request, now: Loop.unixNow())
      if answer.status != 0 { exchange.respond(answer.response(to: request)) }
      journal.add(record)
    }
    self.journal = journal
    address = server.local ?? listen
  }

  /// The authority that its certificate comes from.
  public var authority: CertificateAuthority { identity.authority }

  /// The key for provider tokens, as Apple hands it out (`.p8`).
  public var keyPEM: Bytes { identity.keyPEM }

  /// For `push.apns.url`.
  public var url: String { "https://\(address.text)" }

  /// All that it has seen.
  public var records: [PushRecord] { journal.entries }

  /// How many there have been: where a wait for what comes next starts.
  public var recordCount: Int { journal.count }

  /// The next push for a device that was accepted, of those that are there from `start` on or of those that come.
  public func push(for token: String, from start: Int = 0, within limit: Duration = .seconds(5)) async throws(Unexpected) -> PushRecord {
    try await first("a push for the device", from: start, within: limit) { $0.token == token && $0.status == 200 }
  }

  /// The first request that fits, likewise.
  public func first(
    _ expected: String, from start: Int = 0, within limit: Duration = .seconds(5), where fits: @escaping (PushRecord) -> Bool
  ) async throws(Unexpected) -> PushRecord {
    try await journal.first(expected, from: start, within: limit, where: fits)
  }

  public func stop() async { await server.stop(within: .milliseconds(100)) }
}
