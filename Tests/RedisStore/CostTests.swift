import Cryptography
import Network
import Primitives
import Store
import Testing

@testable import RedisStore

/// What calls, registrations and accounts cost, with records of the size that they have.
@LoopActor
@Suite(.serialized) struct CostTests {
  struct Cost {
    var commands = 0
    var sent = 0
    var received = 0
  }

  func cost(of steps: [StoreCommand], in store: RedisStore) async -> Cost {
    let traffic = store.connection.traffic
    let before = (traffic.commands, traffic.bytesSent, traffic.bytesReceived)
    for command in steps { #expect(await store.perform(command) != .unavailable) }
    return Cost(commands: traffic.commands - before.0, sent: traffic.bytesSent - before.1, received: traffic.bytesReceived - before.2)
  }

  /// Two requests of the store that each request of a phone needs.
  func asked(_ device: DeviceID) -> [StoreCommand] {
    [.accountOf(device), .useNonce(device, nonce: SystemRandom.bytes(16), until: Loop.now() + .seconds(300))]
  }

  /// An INVITE, a fetch, an answer, a hang-up.
  func call(_ id: AccountID, _ device: DeviceID, _ call: CallID) -> [StoreCommand] {
    let (invite, now) = (SystemRandom.bytes(2000), Loop.now())
    var save: StoreCommand { .saveCall(id, call, invite + SystemRandom.bytes(1000), fixed: invite.count, home: .alone) }
    let key = "answer \(call)"
    let merge = MergeKey(request: SystemRandom.bytes(32), branch: SystemRandom.bytes(8))
    let ring = [StoreCommand.claimHeld(id, call, merge: merge, until: now + .seconds(200), home: .alone), save]
    let fetch = asked(device) + [.claimLine(id, device, line: 1, call, home: .alone), save]
    let answer =
      asked(device) + [
        .recall(device, key: key), save, .releaseHeld(id, call, home: .alone),
        .remember(device, key: key, reply: SystemRandom.bytes(600), until: now + .seconds(300)),
      ]
    return ring + fetch + answer + asked(device) + [
      .releaseLine(id, device, line: 1, call, home: .alone), .removeCall(id, call, home: .alone),
    ]
  }

  @Test func eachStepIsOneCommand() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    let (id, device) = (try AccountID.sample(1), try DeviceID.sample(1))
    _ = await store.perform(.writeAccount(try .sample(devices: [.sample(1)]), expecting: nil, by: .alone))
    // The first one teaches Redis the scripts.
    _ = await cost(of: call(id, device, .sample(1)), in: store)
    let steps = call(id, device, .sample(2))
    let one = await cost(of: steps, in: store)
    // A ping may come between.
    #expect((steps.count...steps.count + 2).contains(one.commands), "\(one)")
    // The INVITE goes once, what changes three times.
    #expect(one.sent < 9_500 && one.received < 1_500, "\(one)")

    _ = await cost(of: [.saveRegistration(id, SystemRandom.bytes(600), by: .alone)], in: store)
    let refresh = await cost(of: [.saveRegistration(id, SystemRandom.bytes(600), by: .alone)], in: store)
    #expect((1...2).contains(refresh.commands) && refresh.sent < 1100, "\(refresh)")
    store.connection.stop()
  }

  @Test func anAccountNeedsSoMuchMemory() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    let count = 500
    let before = try await memory(server)
    for number in 0..<count {
      let account = try account(number)
      guard case .written = await store.perform(.writeAccount(account, expecting: nil, by: .alone)) else { throw Late() }
      _ = await store.perform(.saveRegistration(account.id, SystemRandom.bytes(600), by: .alone))
    }
    let each = (try await memory(server) - before) / count
    #expect(each < 4000, "\(each)")
    store.connection.stop()
  }

  private func account(_ number: Int) throws -> Account {
    let id = try #require(AccountID(bytes: SystemRandom.bytes(16)))
    let device = Device(
      id: try #require(DeviceID(Base64.urlSafe.encode(SystemRandom.bytes(32)))), name: "phone",
      signKey: DeviceKey(kty: "EC", crv: "P-256", x: String(repeating: "x", count: 43), y: String(repeating: "y", count: 43)),
      push: .apns(token: String(repeating: "t", count: 64), topic: "net.example.phone.voip", environment: .production), lastActive: .zero)
    let credentials = ["md5", "sha"].map { Credential(realm: $0, algorithm: .md5, ha1: SystemRandom.bytes(16)) }
    return Account(
      id: id, registrar: "sip.example.net", user: "user\(number)", domain: "example.net", credentials: credentials, devices: [device])
  }

  private func memory(_ server: RedisProcess) async throws -> Int {
    let info = try await server.cli("INFO", "memory")
    let line = try #require(info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("used_memory:") })
    return try #require(Int(line.dropFirst("used_memory:".count)))
  }
}
