import Foundation
import Network
import Primitives

/// What is measured.
enum Layout: Equatable {
  /// One node with its store inside.
  case alone
  /// The same, which neither seals nor pushes.
  case untold
  /// So many nodes over one Redis.
  case cluster(Int)

  static let mostNodes = 9
}

/// The servers of a measurement, each a process of its own.
@LoopActor
final class Servers {
  let nodes: [Program]
  /// Where phones reach each of them.
  let addresses: [SocketAddress]
  /// nil where the store is inside of the one node.
  let redis: Redis?

  private let logs: [String]

  private init(_ nodes: [Program], _ hosts: [String], _ redis: Redis?, logs: [String]) {
    self.nodes = nodes
    self.logs = logs
    addresses = hosts.compactMap { SocketAddress($0 + ":8443") }
    self.redis = redis
  }

  static func start(_ layout: Layout, in workplace: Workplace, pushPort: UInt16) async throws -> Servers {
    guard case .cluster(let count) = layout else { return try await alone(layout, workplace, pushPort) }
    try await ClusterFiles.make(count, in: workplace, pushPort: pushPort)
    let redis = try await Redis(workplace)
    let nodes = try (0..<count).map { number in
      try Program(
        Program.beside("ringhold"), ["serve", "--config", workplace.path(ClusterFiles.configuration(number))],
        output: workplace.path("node-\(number).log"))
    }
    for number in nodes.indices { try await until("nodes that live count=\(count)", nodes[number], workplace, "node-\(number).log") }
    return Servers(nodes, nodes.indices.map(Workplace.node), redis, logs: nodes.indices.map { workplace.path("node-\($0).log") })
  }

  private static func alone(_ layout: Layout, _ workplace: Workplace, _ pushPort: UInt16) async throws -> Servers {
    try workplace.writeConfiguration("ringhold.yaml", pushPort: pushPort)
    let (file, log) = (workplace.path("ringhold.yaml"), workplace.path("server.log"))
    let node =
      layout == .alone
      ? try Program(Program.beside("ringhold"), ["serve", "--config", file], output: log)
      : try Program(CommandLine.arguments[0], [UntoldServer.command, file], output: log)
    try await until("providers are served", node, workplace, "server.log")
    return Servers([node], [Workplace.server], nil, logs: [log])
  }

  /// Until its log says so.
  private static func until(_ words: String, _ server: Program, _ workplace: Workplace, _ log: String) async throws {
    for _ in 0..<150 where server.isRunning {
      if try workplace.read(log).contains(words) { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw Trouble("a server does not start: " + (try workplace.read(log)))
  }

  /// Processor time of all nodes.
  var cpu: Duration { nodes.reduce(.zero) { $0 + ProcessMeter($1.processID).cpu } }

  /// How often the nodes have logged this.
  func logged(_ words: String) -> Int {
    logs.reduce(0) { $0 + ((try? String(contentsOfFile: $1, encoding: .utf8))?.ranges(of: words).count ?? 0) }
  }

  /// Asked to end where there is one; those of a cluster would hand everything over first.
  func stop() {
    for node in nodes { redis == nil ? node.stop() : node.kill() }
    redis?.stop()
  }
}
