import Cryptography
import Foundation
import Network
import Primitives
import Store
import Testing

@testable import RedisStore

/// Which Redis is used, and by whom.
@LoopActor
@Suite(.serialized) struct AccessTests {
  func trouble(_ settings: RedisSettings, within limit: Duration = .seconds(10)) async throws -> RedisTrouble? {
    let connection = try RedisConnection.made(settings)
    defer { connection.stop() }
    do throws(RedisTrouble) {
      try await connection.waitUntilAnswering(within: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [["--save", "3600 1"], ["--appendonly", "yes"]]) func whatWritesToADiskIsRefused(arguments: [String]) async throws {
    let server = try await RedisProcess.server(arguments)
    defer { server.end() }
    var settings = RedisSettings.fixed(server)
    #expect(try await trouble(settings) == .persistence)
    settings.allowsPersistence = true
    #expect(try await trouble(settings) == nil)
  }

  @Test func aReplicaIsNotUsed() async throws {
    let server = try await RedisProcess.server(["--replicaof", "127.0.0.1", "1"])
    defer { server.end() }
    #expect(try await trouble(.fixed(server), within: .milliseconds(300)) == .notPrimary)
  }

  @Test func whatWantsReplicasIsNotUsedWithoutAny() async throws {
    let server = try await RedisProcess.server(["--min-replicas-to-write", "1"])
    defer { server.end() }
    #expect(try await trouble(.fixed(server), within: .milliseconds(300)) == .tooFewReplicas)
    let replica = try await RedisProcess.server(["--replicaof", "127.0.0.1", "\(server.port)"])
    defer { replica.end() }
    #expect(try await trouble(.fixed(server)) == nil)
  }

  /// What the user of the nodes may do, as the cluster's own configuration says.
  nonisolated static func configuredRights() throws -> String {
    let path = URL(filePath: #filePath).appending(path: "../../../cluster/redis/redis.conf").standardized
    let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
    let words = try #require(lines.first { $0.hasPrefix("user ringhold ") }).split(separator: " ")
    return words.dropFirst(2).filter { $0 != "on" && !$0.hasPrefix(">") }.joined(separator: " ")
  }

  /// A user that may do what the store does and nothing else; and the one that the cluster has.
  @Test(arguments: [RedisStore.rights, try configuredRights()]) func aUserOfItsOwnIsEnough(rights: String) async throws {
    let server = try await RedisProcess.server()
    defer { server.end() }
    let rule = ["ACL", "SETUSER", "ringhold", "on", ">secret"] + rights.split(separator: " ").map(String.init)
    #expect(try await server.cli(rule) == "OK")
    #expect(try await server.cli(["ACL", "SETUSER", "default", "resetpass", ">admin"]) == "OK")
    let admin = ["-a", "admin", "--no-auth-warning"]
    var settings = RedisSettings.fixed(server)
    #expect(try await trouble(settings) == .accessDenied("NOAUTH"))
    settings.credentials = RedisCredentials(user: "ringhold", password: "wrong")
    #expect(try await trouble(settings) == .accessDenied("WRONGPASS"))
    settings.credentials = RedisCredentials(user: "ringhold", password: "secret")
    #expect("\(settings)".contains("secret") == false)
    let store = try await RedisStore.made(settings)
    for scenario in StoreContract.allCases {
      // In its first seconds an empty Redis says of no device that nobody knows it.
      #expect(try await server.cli(admin + ["SET", "rh:born", "1"]) == "OK")
      try await scenario.run { await store.perform($0, at: $1) }
      #expect(try await server.cli(admin + ["FLUSHALL"]) == "OK")
    }
    // Coming back needs a right of its own: the former connection is ended.
    #expect(try await server.cli(admin + ["CLIENT", "KILL", "USER", "ringhold"]) == "1")
    try await eventually { await store.perform(.members) == .members([]) }
    store.connection.stop()
  }

  @Test func overTLS() async throws {
    let certificates = try Certificates()
    let port = try RedisProcess.freePort()
    let server = try await RedisProcess.server(certificates.arguments(port), port: port)
    defer { certificates.end() }
    defer { server.end() }
    var settings = RedisSettings.fixed(server)
    settings.tls = try certificates.client
    let store = try await RedisStore.made(settings)
    guard case .written = await store.perform(.writeAccount(try .sample(), expecting: nil, by: nil)) else { throw Late() }
    store.connection.stop()

    settings.tls = try .client(trust: .pem(SelfSignedCertificate.make(names: ["a"], addresses: []).certificatePEM), alpn: [])
    #expect(try await trouble(settings, within: .milliseconds(300)) == .unreachable, "another authority")
    settings.tls = try certificates.client
    settings.place = .fixed(RedisAddress(host: "localhost", port: port))
    #expect(try await trouble(settings, within: .milliseconds(300)) == .unreachable, "another name")
  }

  /// Redis and its Sentinel want TLS and a password each; those of the one are not those of the other.
  @Test func throughASentinelWithPasswordAndTLS() async throws {
    let (certificates, others) = (try Certificates(), try Certificates())
    let port = try RedisProcess.freePort()
    let server = try await RedisProcess.server(certificates.arguments(port) + ["--requirepass", "one"], port: port)
    let sentinelPort = try RedisProcess.freePort()
    let lines = others.arguments(sentinelPort).chunked.map { "\($0[0].dropFirst(2)) \($0[1])" }
    let sentinel = try RedisProcess.sentinel(of: port, on: sentinelPort, lines + ["requirepass two"])
    defer { for folder in [certificates, others] { folder.end() } }
    defer { for process in [server, sentinel] { process.end() } }
    var settings = RedisSettings(place: .sentinels([sentinel.address], primary: "ringhold"))
    settings.credentials = RedisCredentials(user: nil, password: "one")
    settings.sentinelCredentials = RedisCredentials(user: nil, password: "two")
    (settings.tls, settings.sentinelTLS) = (try certificates.client, try others.client)
    let store = try await RedisStore.made(settings)
    guard case .written = await store.perform(.writeAccount(try .sample(), expecting: nil, by: nil)) else { throw Late() }
    store.connection.stop()

    let limit = Duration.milliseconds(500)
    var wrong = settings
    wrong.sentinelCredentials = RedisCredentials(user: nil, password: "one")
    #expect(try await trouble(wrong, within: limit) == .noPrimaryKnown)
    wrong = settings
    wrong.sentinelTLS = try certificates.client
    #expect(try await trouble(wrong, within: limit) == .noPrimaryKnown)
    wrong.sentinelTLS = nil
    #expect(try await trouble(wrong, within: limit) == .noPrimaryKnown)
  }
}

extension [String] {
  fileprivate var chunked: [[String]] { stride(from: 0, to: count, by: 2).map { Array(self[$0..<($0 + 2)]) } }
}
