import Cryptography
import Demo
import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit

/// One phone: its keys, its line to the server, and what was pushed to it.
@LoopActor
struct Handset {
  let phone: Phone
  let client: PhoneClient
  let user: String
  let token: String
  private let provider: String
  private let push: PushStandIn

  nonisolated static let topic = "com.example.integration.voip"
  nonisolated static let sdp =
    "v=0\r\no=phone 9 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40004 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n"

  init(
    user: String, provider: String, push: PushStandIn, server: SocketAddress, kind: Phone.KeyKind = .curve25519, token: String? = nil
  ) throws {
    phone = try Phone.generate(kind)
    client = try Self.client(of: phone, at: server)
    self.user = user
    self.provider = provider
    self.push = push
    self.token = token ?? Hex.encode([0] + SystemRandom.bytes(31))
  }

  /// The same phone, asking another server.
  func asking(_ server: SocketAddress) throws -> Handset {
    Handset(self, client: try Self.client(of: phone, at: server))
  }

  private init(_ other: Handset, client: PhoneClient) {
    (phone, user, token, provider, push) = (other.phone, other.user, other.token, other.provider, other.push)
    self.client = client
  }

  private static func client(of phone: Phone, at server: SocketAddress) throws -> PhoneClient {
    try PhoneClient(
      phone: phone, server: "https://localhost:\(server.port)", trustedPEM: try Site.authority.get().certificatePEM, address: server)
  }

  func account(
    over transport: TransportChoice, algorithm: PhoneContract.DigestAlgorithm = .md5, password: String? = nil, registrar: String? = nil
  ) -> AccountBody {
    let credential = CredentialBody(
      user: user, realm: Provider.domain, password: password ?? Provider.password(of: user), algorithm: algorithm)
    return AccountBody(
      registrar: registrar ?? provider, user: user, domain: Provider.domain, credentials: [credential], transport: transport)
  }

  var pushAddress: PushBody { .apns(token: token, topic: Self.topic, environment: .production) }

  func setUp(over transport: TransportChoice) async throws -> SetUpState { try await setUp(account(over: transport)) }

  func setUp(_ account: AccountBody) async throws -> SetUpState {
    try await client.setUp(account, push: pushAddress, name: "Test phone")
  }

  /// All that was pushed to it, opened, oldest first.
  var heard: [Announcement] {
    push.records.filter { $0.token == token && $0.status == 200 }.compactMap { try? phone.open($0.sealed ?? []) }
  }

  /// Waits until it has heard so many things. They may be fewer where time was over.
  func heard(_ count: Int, within limit: Duration = .seconds(15)) async -> [Announcement] {
    await eventually(within: limit, { heard }, until: { $0.count >= count })
  }

  /// Waits until it rings for the `count`th time.
  func rings(_ count: Int = 1) async throws {
    let calls = await eventually(within: .seconds(15), { heard.filter(\.isCall).count }, until: { $0 >= count })
    guard calls == count else { throw Unexpected(expected: "\(count) calls", came: "\(calls)") }
  }

  var stops: [StopReason] { heard.compactMap(\.stopReason) }

  /// Waits until it has been told to stop.
  func stopped() async -> [StopReason] { await eventually(within: .seconds(10), { stops }, until: { !$0.isEmpty }) }

  /// Fetches and answers; gives the caller's SDP.
  @discardableResult
  func answer(_ line: Line = .one) async throws -> FetchReply {
    let fetched = try await client.fetch(on: line)
    _ = try await client.answer(Self.sdp, on: line)
    return fetched
  }

  /// What ended the call on line 1; nil where nothing did.
  func ending() async throws -> EndReason? {
    for event in try await client.status(of: .one, after: 0, wait: 20).events {
      if case .ended(let why) = event.kind { return why }
    }
    return nil
  }
}

extension Announcement {
  var isCall: Bool { if case .call = self { true } else { false } }

  var caller: (number: String?, name: String?)? {
    guard case .call(_, let number, let name) = self else { return nil }
    return (number, name)
  }

  var stopReason: StopReason? {
    guard case .stop(_, let why) = self else { return nil }
    return why
  }
}

/// The problem that `body` ends with; nil where it ends well.
@LoopActor
func problem(_ body: @LoopActor () async throws -> Void) async throws -> Problem.Name? {
  do {
    try await body()
    return nil
  } catch PhoneError.problem(let problem) {
    return problem.name
  }
}

extension Event.Kind {
  var isEnd: Bool { if case .ended = self { true } else { false } }
}
