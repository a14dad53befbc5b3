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
      try await scenario.run { await store.perform($0, at: $1) }
      #expect(try await server.cli(admin + ["FLUSHALL"]) == "OK")
    }
    // Coming back needs a right of its own: the former connection is ended.
    #expect(try await server.cli(admin + ["CLIENT", "KILL", "USER", "ringhold"]) == "1")
    try await eventually { await store.perform(.members) == .members([]) }
    store.connection.stop()
  }

  @Test func overTLS() async throws {
    let authority = try CertificateAuthority(commonName: "test")
    let (certificate, key) = try authority.issue(names: ["redis.test"], addresses: [.loopbackIPv4])
    let folder = FileManager.default.temporaryDirectory.appending(path: "ringhold-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, pem) in [("c.pem", certificate), ("k.pem", key), ("ca.pem", authority.certificatePEM)] {
      try Data(pem).write(to: folder.appending(path: name))
    }
    let port = try RedisProcess.freePort()
    let server = try await RedisProcess.server(
      [
        "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", "\(folder.path)/c.pem", "--tls-key-file", "\(folder.path)/k.pem",
        "--tls-ca-cert-file", "\(folder.path)/ca.pem", "--tls-auth-clients", "no",
      ], port: port)
    defer { server.end() }
    var settings = RedisSettings.fixed(server)
    settings.tls = try .client(trust: .pem(authority.certificatePEM), alpn: [])
    let store = try await RedisStore.made(settings)
    guard case .written = await store.perform(.writeAccount(try .sample(), expecting: nil, by: nil)) else { throw Late() }
    store.connection.stop()

    settings.tls = try .client(trust: .pem(SelfSignedCertificate.make(names: ["a"], addresses: []).certificatePEM), alpn: [])
    #expect(try await trouble(settings, within: .milliseconds(300)) == .unreachable, "another authority")
    settings.tls = try .client(trust: .pem(authority.certificatePEM), alpn: [])
    settings.place = .fixed(RedisAddress(host: "localhost", port: port))
    #expect(try await trouble(settings, within: .milliseconds(300)) == .unreachable, "another name")
  }
}
