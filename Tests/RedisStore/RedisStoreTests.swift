import Network
import Primitives
import Store
import Testing

@testable import RedisStore

@LoopActor
@Suite(.serialized) struct RedisStoreTests {
  @Test(arguments: StoreContract.allCases) func doesWhatEveryStoreMust(scenario: StoreContract) async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    try await scenario.run { command, now in await store.perform(command, at: now) }
    store.connection.stop()
  }

  @Test func limitsHold() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    var limits = RedisStoreLimits()
    (limits.devicesPerAccount, limits.callsPerAccount, limits.recordBytes, limits.repliesPerDevice) = (1, 1, 4, 1)
    (limits.noncesPerDevice, limits.nodes) = (2, 1)
    let connection = try RedisConnection.made(.fixed(server))
    let store = try #require(RedisStore(connection, clusterKey: RedisStore.clusterKey, limits: limits))
    func expect(_ command: StoreCommand, _ reply: StoreReply, location: SourceLocation = #_sourceLocation) async {
      #expect(await store.perform(command, at: .zero) == reply, sourceLocation: location)
    }
    let (id, device) = (try AccountID.sample(1), try DeviceID.sample(1))
    await expect(.writeAccount(try .sample(1, devices: [.sample(1), .sample(2)]), expecting: nil, by: nil), .full)
    guard case .written = await store.perform(.writeAccount(try .sample(1), expecting: nil, by: nil)) else { throw Late() }
    await expect(.saveCall(id, .sample(1), [1, 2, 3, 4, 5], home: .alone), .full)
    await expect(.saveCall(id, .sample(1), [1], home: .alone), .done)
    await expect(.saveCall(id, .sample(2), [1], home: .alone), .full)
    await expect(.saveRegistration(id, [1, 2, 3, 4, 5], by: .alone), .full)
    await expect(.remember(device, key: "a", reply: [1], until: .ms(1)), .done)
    await expect(.remember(device, key: "b", reply: [1], until: .ms(1)), .full)
    for (nonce, reply) in [(UInt8(1), StoreReply.fresh), (2, .fresh), (3, .full)] {
      await expect(.useNonce(device, nonce: [nonce], until: .ms(1)), reply)
    }
    guard case .joined = await store.perform(.joinCluster(try #require(NodeID("a")), peerAddress: "x", after: 0)) else { throw Late() }
    await expect(.joinCluster(try #require(NodeID("b")), peerAddress: "x", after: 0), .full)
    connection.stop()
  }

  /// It could read nothing of what the others write, nor they of its own.
  @Test func aNodeWithAnotherClusterKeyDoesNotJoin() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    let other = try await RedisStore.made(.fixed(server), clusterKey: Bytes(repeating: 1, count: 32))
    let join = StoreCommand.joinCluster(try #require(NodeID("b")), peerAddress: "x", after: 0)
    guard case .joined = await store.perform(.joinCluster(try #require(NodeID("a")), peerAddress: "x", after: 0)) else { throw Late() }
    #expect(await other.perform(join) == .joinRefused(.otherKey))
    guard case .joined = await store.perform(join) else { throw Late() }
    for store in [store, other] { store.connection.stop() }
  }

  /// All that Redis holds, and all its names.
  @Test func redisSeesNothing() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    let contract = StoreUnderTest { await store.perform($0, at: $1) }
    try await contract.write(.sample(devices: [.sample(1)]))
    let id = try AccountID.sample(1)
    try await contract.expect(.saveRegistration(id, Array("registration".utf8), by: .alone), .done)
    try await contract.expect(.saveCall(id, .sample(1), Array("caller".utf8), home: .alone), .done)
    try await contract.expect(.remember(.sample(1), key: "key-of-phone", reply: Array("reply".utf8), until: .ms(9)), .done)
    var dump = ""
    for key in try await server.cli("KEYS", "*").split(separator: "\n") {
      dump += key
      let type = try await server.cli("TYPE", String(key))
      if type == "hash" { dump += try await server.cli("HGETALL", String(key)) }
      if type == "string" { dump += try await server.cli("GET", String(key)) }
    }
    #expect(dump.contains("rh:{01010101010101010101010101010101}"))
    for secret in ["alice", "example", "\\xab\\xab", "aa1", "phone 1", "registration", "caller", "reply", "key-of"] {
      #expect(!dump.contains(secret), "\(secret)")
    }
    store.connection.stop()
  }

  @Test func anotherClusterKeyReadsNothingAndTakesNothingForMissing() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    guard case .written = await store.perform(.writeAccount(try .sample(), expecting: nil, by: nil)) else { throw Late() }
    let other = try #require(RedisStore(store.connection, clusterKey: Bytes(repeating: 1, count: 32)))
    #expect(await other.perform(.account(try .sample(1))) == .unavailable)
    #expect(RedisStore(store.connection, clusterKey: [1]) == nil)
    store.connection.stop()
  }

  @Test func aFullRedisSaysSo() async throws {
    let server = try await RedisProcess.server(["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    var said: [Bool] = []
    store.onFull = { said.append($0) }
    for _ in 1...2 { #expect(await store.perform(.writeAccount(try .sample(), expecting: nil, by: nil)) == .full) }
    #expect(said == [true], "once")
    #expect(await store.perform(.account(try .sample(1))) == .account(nil))
    store.connection.stop()
  }
}
