import Cryptography
import Foundation
import Network
import Primitives
import Store
import Testing

@testable import RedisStore

/// A real redis-server, or Sentinel, in a folder of its own, that a test starts and ends.
@LoopActor
final class RedisProcess {
  let port: UInt16
  private let process = Process()
  private let folder: URL

  /// In memory only, as in a cluster; `arguments` come behind.
  static func server(_ arguments: [String] = [], port: UInt16? = nil) async throws -> RedisProcess {
    let port = try port ?? freePort()
    let settings = [
      "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0",
      "--repl-ping-replica-period", "1",
    ]
    let server = try RedisProcess("/usr/bin/redis-server", settings + arguments, port)
    if !arguments.contains("--tls-port") { try await server.waitUntilItAnswers() }
    // Not in its first seconds, in which nobody says that a device is unknown.
    _ = try? await server.cli("SET", "rh:born", "0")
    return server
  }

  /// Watches the primary at `primary`; two of them decide.
  static func sentinel(of primary: UInt16) async throws -> RedisProcess {
    let port = try freePort()
    let server = try sentinel(of: primary, on: port, ["port \(port)"])
    try await server.waitUntilItAnswers()
    return server
  }

  /// `lines`: what stands in its file about where it listens, and for whom.
  static func sentinel(of primary: UInt16, on port: UInt16, _ lines: [String]) throws -> RedisProcess {
    let text = """
      \(lines.joined(separator: "\n"))
      bind 127.0.0.1
      sentinel monitor ringhold 127.0.0.1 \(primary) 2
      sentinel down-after-milliseconds ringhold 500
      sentinel failover-timeout ringhold 3000
      """
    return try RedisProcess("/usr/bin/redis-sentinel", ["sentinel.conf"], port, files: ["sentinel.conf": text])
  }

  private init(_ path: String, _ arguments: [String], _ port: UInt16, files: [String: String] = [:]) throws {
    self.port = port
    folder = FileManager.default.temporaryDirectory.appending(path: "ringhold-redis-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  var address: RedisAddress { RedisAddress(host: "127.0.0.1", port: port) }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// `kill -9`, and its folder goes.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// What redis-cli says, without its line end.
  func cli(_ words: String...) async throws -> String { try await cli(words) }

  func cli(_ words: [String]) async throws -> String { try await Self.cli(port, words) }

  /// Away from the loop, which goes on meanwhile.
  @concurrent private nonisolated static func cli(_ port: UInt16, _ words: [String]) async throws -> String {
    let client = Process()
    let pipe = Pipe()
    client.executableURL = URL(fileURLWithPath: "/usr/bin/redis-cli")
    client.arguments = ["-p", "\(port)"] + words
    client.standardOutput = pipe
    client.standardError = pipe
    try client.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    client.waitUntilExit()
    return String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func waitUntilItAnswers() async throws {
    try await eventually { try await cli("PING") == "PONG" }
  }

  static func freePort() throws -> UInt16 {
    let listener = try TCPListener(bind: SocketAddress(ip: .loopbackIPv4, port: 0)) { $0.abort() }
    defer { listener.close() }
    return listener.local.port
  }
}

/// Until it holds; asked again and again for ten seconds.
@LoopActor
func eventually(
  _ limit: Duration = .seconds(10), location: SourceLocation = #_sourceLocation, _ holds: @LoopActor () async throws -> Bool
) async throws {
  let deadline = Loop.now() + limit
  while try await !holds() {
    guard Loop.now() < deadline else { throw Late() }
    await Loop.pause(.milliseconds(20))
  }
}

struct Late: Error {}

extension RedisSettings {
  @LoopActor static func fixed(_ server: RedisProcess) -> RedisSettings { RedisSettings(place: .fixed(server.address)) }
}

extension RedisConnection {
  /// Started.
  static func made(_ settings: RedisSettings) throws -> RedisConnection {
    let connection = RedisConnection(settings, resolver: try Resolver(), random: SeededRandom(seed: 7))
    connection.start()
    return connection
  }
}

extension RedisStore {
  static let clusterKey = Bytes(repeating: 0x5A, count: 32)

  /// Answering.
  static func made(_ settings: RedisSettings, clusterKey: Bytes = clusterKey) async throws -> RedisStore {
    let connection = RedisConnection(settings, resolver: try Resolver(), random: SeededRandom(seed: 7))
    let store = try #require(RedisStore(connection, clusterKey: clusterKey))
    connection.start()
    try await connection.waitUntilAnswering(within: .seconds(10))
    return store
  }

  /// Where time is what the test says.
  func perform(_ command: StoreCommand, at now: Instant) async -> StoreReply {
    await withCheckedContinuation { continuation in
      perform(command, now: now, leaseOffset: .nanoseconds(now.nanoseconds)) { continuation.resume(returning: $0) }
    }
  }
}
