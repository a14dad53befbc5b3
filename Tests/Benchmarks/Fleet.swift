import Cryptography
import Endpoints
import Network
import PhoneContract
import PhoneKit
import Primitives

/// Many phones on one server, each with an account of its own. They share a few connections; the server checks each request alone.
@LoopActor
final class Fleet {
  struct Member {
    let client: PhoneClient
    let user: String
    let token: String
  }

  private(set) var members: [Member] = []
  private var connections: [HTTPClient] = []

  /// Sets up `count` phones. With `wantsOneEach` no connection is shared.
  init(_ count: Int, _ workplace: Workplace) async throws {
    let tls = try TLSContext.client(trust: .pem(workplace.certificate), alpn: ["h2"])
    guard let origin = HTTPOrigin("https://\(Workplace.server):8443") else { throw Trouble("no origin") }
    connections = (0..<min(Self.lanes, count)).map { _ in HTTPClient(origin: origin, tls: tls) }
    for number in 0..<count {
      let client = PhoneClient(phone: try .generate(), client: connections[number % connections.count])
      members.append(Member(client: client, user: "user\(number)", token: Self.token(number)))
    }
    try await setUpAll()
  }

  private static let lanes = 8
  private static let atOnce = 64

  /// So many at a time.
  private func setUpAll() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, member) in members.enumerated() {
        if number >= Self.atOnce { try await group.next() }
        group.addTask { try await Self.setUp(member) }
      }
      try await group.waitForAll()
    }
  }

  @LoopActor private static func setUp(_ member: Member) async throws {
    let credential = CredentialBody(user: member.user, realm: "benchmark", password: "secret", algorithm: .sha256)
    let account = AccountBody(
      registrar: Workplace.provider, user: member.user, credentials: [credential], transport: .udp, expires: 3600)
    let push = PushBody.apns(token: member.token, topic: "com.example.phone.voip", environment: .production)
    let state = try await member.client.setUp(account, push: push)
    guard state.registration.state == .registered else { throw Trouble("an account is \(state.registration.state.rawValue)") }
  }

  func close() { for connection in connections { connection.close() } }

  /// 32 bytes, as Apple's have today.
  private static func token(_ number: Int) -> String {
    Hex.encode(Array(Hash.sha256(Array("device \(number)".utf8))))
  }
}
