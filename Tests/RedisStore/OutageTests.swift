import Glibc
import Network
import Primitives
import RESP
import Store
import Testing

@testable import RedisStore

/// What happens where Redis is lost, or not what it was.
@LoopActor
@Suite(.serialized) struct OutageTests {
  let one: AccountID
  init() throws { one = try .sample(1) }

  static let count = ["INCR", "rh:count"].map { Array($0.utf8) }

  func write(_ store: RedisStore) async throws {
    guard case .written = await store.perform(.writeAccount(try .sample(), expecting: nil, by: .alone)) else { throw Late() }
  }

  @Test func sentinelFailsOver() async throws {
    let primary = try await RedisProcess.server()
    let replica = try await RedisProcess.server(["--replicaof", "127.0.0.1", "\(primary.port)"])
    var sentinels: [RedisProcess] = []
    for _ in 1...3 { sentinels.append(try await RedisProcess.sentinel(of: primary.port)) }
    defer { for process in sentinels + [primary, replica] { process.end() } }
    for sentinel in sentinels {
      try await eventually(.seconds(20)) {
        let replicas = try await sentinel.cli("SENTINEL", "replicas", "ringhold")
        let quorum = try await sentinel.cli("SENTINEL", "ckquorum", "ringhold")
        return replicas.contains("\(replica.port)") && quorum.hasPrefix("OK 3")
      }
    }
    let settings = RedisSettings(place: .sentinels(sentinels.map(\.address), primary: "ringhold"))
    let store = try await RedisStore.made(settings)
    var states: [RedisConnection.State] = []
    store.connection.onStateChange = { states.append($0) }
    try await write(store)
    #expect(try await primary.cli("WAIT", "1", "5000") == "1")

    primary.end()
    sentinels[0].end()
    try await eventually(.seconds(30)) { await store.perform(.saveRegistration(one, [1], by: .alone)) == .done }
    #expect(store.connection.state == .answering(replica.address))
    #expect(states.first.map { if case .unreachable = $0 { true } else { false } } == true)
    guard case .account(let stored?) = await store.perform(.account(one)) else { throw Late() }
    #expect(stored.account.id == one)
    store.connection.stop()
  }

  @Test func aPrimaryThatIsOneNoMoreIsLeft() async throws {
    let server = try await RedisProcess.server()
    let other = try await RedisProcess.server()
    defer { for process in [server, other] { process.end() } }
    let store = try await RedisStore.made(.fixed(server))
    try await write(store)
    _ = try await server.cli("REPLICAOF", "127.0.0.1", "\(other.port)")
    #expect(await store.perform(.saveRegistration(one, [1], by: .alone)) == .unavailable)
    #expect(store.connection.state == .unreachable(.notPrimary) || store.connection.state == .unreachable(.noAnswer))
    _ = try await server.cli("REPLICAOF", "NO", "ONE")
    try await eventually { await store.perform(.members) == .members([]) }
    // Nothing was done while it was a replica; the scripts of before are known or learned again.
    #expect(await store.perform(.registration(one)) == .record(nil))
    store.connection.stop()
  }

  /// What it has is what was, a moment ago.
  @Test func aReplicaIsNotAskedEither() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    for command in [StoreCommand.account(one), .registration(one), .accountOf(try .sample(1)), .whereabouts(one), .members] {
      let store = try await RedisStore.made(.fixed(server))
      try await eventually { await store.perform(.account(one)) != .unavailable }
      _ = try await server.cli("REPLICAOF", "127.0.0.1", "1")
      #expect(await store.perform(command) == .unavailable)
      _ = try await server.cli("REPLICAOF", "NO", "ONE")
      store.connection.stop()
    }
  }

  @Test func whereAPrimaryIsCutOffNobodyLivesAndNobodyDies() async throws {
    let server = try await RedisProcess.server()
    let replica = try await RedisProcess.server(["--replicaof", "127.0.0.1", "\(server.port)"])
    defer { for process in [server, replica] { process.end() } }
    let store = try await RedisStore.made(.fixed(server))
    let join = StoreCommand.joinCluster(try .sample("a"), peerAddress: "x", after: 0)
    guard case .joined(let holder) = await store.perform(join) else { throw Late() }
    try await eventually { try await server.cli("INFO", "replication").contains("state=online") }
    #expect(await store.perform(.renewLease(holder, peerAddress: nil)) == .renewed)
    #expect(await store.perform(.buryLease(holder, unrenewedFor: Member.lease)) == .leaseLives)
    replica.signal(SIGSTOP)
    try await eventually { await store.perform(.renewLease(holder, peerAddress: nil)) == .unavailable }
    #expect(await store.perform(.buryLease(holder, unrenewedFor: .zero)) == .unavailable)
    #expect(await store.perform(join) == .unavailable)
    // It goes on where the replica is gone: then this Redis is all there is.
    replica.signal(SIGKILL)
    try await eventually { await store.perform(.renewLease(holder, peerAddress: nil)) == .renewed }
    store.connection.stop()
  }

  @Test func whatAReplicaRefusesIsDoneByTheNextPrimary() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    _ = try await server.cli("REPLICAOF", "127.0.0.1", "1")
    let result = Results()
    for _ in 1...3 { store.connection.perform(Self.count, limit: .seconds(20)) { result.came($0) } }
    try await eventually { store.connection.state == .unreachable(.notPrimary) }
    #expect(result.all.allSatisfy { $0 == .failure(.unknown) }, "those behind the first may have lost their connection")
    _ = try await server.cli("REPLICAOF", "NO", "ONE")
    try await eventually { result.all.count == 3 }
    #expect(result.all.contains(.success(.integer(1))))
    store.connection.stop()
  }

  @Test func aPrimaryThatHangsIsLeft() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    try await write(store)
    server.signal(SIGSTOP)
    #expect(await store.perform(.saveRegistration(one, [1], by: .alone)) == .unavailable)
    try await eventually { if case .unreachable = store.connection.state { true } else { false } }
    server.signal(SIGCONT)
    try await eventually { await store.perform(.saveRegistration(one, [2], by: .alone)) == .done }
    #expect(await store.perform(.registration(one)) == .record([2]))
    store.connection.stop()
  }

  @Test func nothingComesLateOverALostConnection() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let proxy = try Proxy(to: server.address)
    let store = try await RedisStore.made(RedisSettings(place: .fixed(proxy.address)))
    try await write(store)
    proxy.holdsCommands = true
    #expect(await store.perform(.saveRegistration(one, [1], by: .alone)) == .unavailable)
    try await eventually { if case .unreachable = store.connection.state { true } else { false } }
    proxy.holdsCommands = false
    try await eventually { await store.perform(.saveRegistration(one, [2], by: .alone)) == .done }
    proxy.passHeld()
    try await eventually { await store.perform(.registration(one)) == .record([2]) && proxy.hasLostOne }
    #expect(await store.perform(.registration(one)) == .record([2]))
    store.connection.stop()
    proxy.end()
  }

  @Test func ofTwoNodesOneWins() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let stores = [try await RedisStore.made(.fixed(server)), try await RedisStore.made(.fixed(server))]
    let homes = [try Holder.sample("a"), try Holder.sample("b")]
    try await write(stores[0])
    for round in UInt64(1)...50 {
      let claims = (0...1).map { place in
        StoreCommand.claimHeld(
          one, .sample(round * 2 + UInt64(place)), merge: MergeKey(request: Bytes("\(round) \(place)".utf8), branch: []),
          until: .distantFuture, home: homes[place])
      }
      async let first = stores[0].perform(claims[0])
      async let second = stores[1].perform(claims[1])
      let replies = [await first, await second]
      #expect(replies.contains(.granted) && replies.contains(.busy))
      for place in 0...1 { _ = await stores[place].perform(.releaseHeld(one, .sample(round * 2 + UInt64(place)), home: homes[place])) }
    }
    for store in stores { store.connection.stop() }
  }

  @Test func scriptsThatAreForgottenAreLearnedAgain() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let store = try await RedisStore.made(.fixed(server))
    try await write(store)
    #expect(try await server.cli("SCRIPT", "FLUSH") == "OK")
    #expect(await store.perform(.saveRegistration(one, [1], by: .alone)) == .done)
    store.connection.stop()
  }

  @Test func aLostAnswerIsUnknown() async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let proxy = try Proxy(to: server.address)
    let store = try await RedisStore.made(RedisSettings(place: .fixed(proxy.address)))
    let direct = try await RedisStore.made(.fixed(server))
    try await write(store)
    _ = await direct.perform(.saveRegistration(one, [1], by: .alone))

    proxy.dropsAnswers = true
    let result = Results()
    store.connection.perform(Self.count) { result.came($0) }
    #expect(await store.perform(.saveRegistration(one, [2], by: .alone)) == .unavailable)
    #expect(result.all == [.failure(.unknown)])
    #expect(await direct.perform(.registration(one)) == .record([2]), "it was done all the same")

    proxy.dropsAnswers = false
    try await eventually { await store.perform(.registration(one)) == .record([2]) }
    #expect(try await server.cli("GET", "rh:count") == "1", "an unknown command is not sent again")
    for connection in [store.connection, direct.connection] { connection.stop() }
    proxy.end()
  }

  @Test func whatCouldNotBeSentIsNotDone() async throws {
    let port = try RedisProcess.freePort()
    let settings = RedisSettings(place: .fixed(RedisAddress(host: "127.0.0.1", port: port)))
    let connection = try RedisConnection.made(settings)
    let result = Results()
    connection.perform([Array("PING".utf8)], limit: .milliseconds(200)) { result.came($0) }
    // One that waits for long enough is done when Redis comes.
    connection.perform([Array("PING".utf8)], limit: .seconds(20)) { result.came($0) }
    await #expect(throws: RedisTrouble.unreachable) { try await connection.waitUntilAnswering(within: .milliseconds(300)) }
    #expect(result.all == [.failure(.notDone)])
    let server = try await RedisProcess.server(port: port)
    defer { server.end() }
    try await eventually { result.all.count == 2 }
    #expect(result.all.last == .success(.status(Array("PONG".utf8))))
    connection.stop()
    connection.perform([Array("PING".utf8)]) { result.came($0) }
    #expect(result.all.last == .failure(.notDone))
  }

  @Test func tooManyWait() async throws {
    var settings = RedisSettings(place: .sentinels([], primary: "ringhold"))
    settings.limits.commands = 100
    let connection = try RedisConnection.made(settings)
    let result = Results()
    for _ in 0..<101 { connection.perform([Array("PING".utf8)], limit: .milliseconds(50)) { result.came($0) } }
    #expect(result.all == [.failure(.queueFull)])
    try await eventually { result.all.count == 101 }
    #expect(result.all.dropFirst().allSatisfy { $0 == .failure(.notDone) })
    #expect(connection.state == .unreachable(.noPrimaryKnown))
    connection.stop()
  }
}

/// What came, in its order.
@LoopActor
final class Results {
  typealias One = Result<RESPValue, RedisFailure>
  private(set) var all: [One] = []
  func came(_ result: One) { all.append(result) }
}
