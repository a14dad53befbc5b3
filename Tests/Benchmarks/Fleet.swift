import Cryptography
import Endpoints
import Network
import PhoneContract
import PhoneKit
import Primitives

/// Many phones, each with an account of its own. They share a few connections to each server; a server checks each request alone.
@LoopActor
final class Fleet {
  struct Member {
    let phone: Phone
    let user: String
    let token: String
    /// Where its account is registered.
    let provider: String
  }

  private(set) var members: [Member] = []
  /// Of each server.
  private var connections: [[HTTPClient]] = []
  private let providers: [String]

  /// - Parameters:
  ///   - servers: where phones may come; all of them show the same certificate.
  ///   - providers: accounts are spread over them.
  init(at servers: [SocketAddress], providers: [String], _ workplace: Workplace) throws {
    self.providers = providers
    let tls = try TLSContext.client(trust: .pem(workplace.certificate), alpn: ["h2"])
    connections = try servers.map { address in
      guard let origin = HTTPOrigin("https://\(address.text)") else { throw Trouble("no origin") }
      return (0..<Self.lanes).map { _ in HTTPClient(origin: origin, tls: tls) }
    }
  }

  private static let lanes = 8
  private static let atOnce = 64

  /// The phone of a member, at one of the servers.
  func client(_ number: Int, at server: Int = 0) -> PhoneClient {
    PhoneClient(phone: members[number].phone, client: connections[server][number % Self.lanes])
  }

  /// Sets up phones until there are so many, so many at a time, each through the next server.
  func grow(to count: Int) async throws {
    let first = members.count
    for number in first..<max(count, first) {
      members.append(
        Member(phone: try .generate(), user: "user\(number)", token: Self.token(number), provider: providers[number % providers.count]))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in first..<members.count {
        if number - first >= Self.atOnce { try await group.next() }
        group.addTask { try await self.setUp(number) }
      }
      try await group.waitForAll()
    }
  }

  private func setUp(_ number: Int) async throws {
    let member = members[number]
    let credential = CredentialBody(user: member.user, realm: "benchmark", password: "secret", algorithm: .sha256)
    let account = AccountBody(
      registrar: member.provider, user: member.user, credentials: [credential], transport: .udp, expires: 3600)
    let push = PushBody.apns(token: member.token, topic: "com.example.phone.voip", environment: .production)
    let client = client(number, at: number % connections.count)
    let state = try await Self.trying { () async throws(PhoneError) in try await client.setUp(account, push: push) }
    guard state.registration.state == .registered else { throw Trouble("an account is \(state.registration.state.rawValue)") }
  }

  /// A server that has too much to do says so, and a phone tries again.
  private static func trying(_ setUp: @LoopActor () async throws(PhoneError) -> SetUpState) async throws -> SetUpState {
    for _ in 0..<4 {
      do throws(PhoneError) {
        return try await setUp()
      } catch {
        guard case .problem(let problem) = error, [429, 503].contains(problem.status) else { throw error }
        await Pace.pause(.seconds(2))
      }
    }
    return try await setUp()
  }

  func close() { for connection in connections.joined() { connection.close() } }

  /// 32 bytes, as Apple's have today.
  private static func token(_ number: Int) -> String {
    Hex.encode(Array(Hash.sha256(Array("device \(number)".utf8))))
  }
}
