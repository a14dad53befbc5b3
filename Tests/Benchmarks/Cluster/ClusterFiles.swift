import Foundation
import Primitives

/// What the nodes of a cluster and their Redis are told: made by `ringhold cluster init`, as an operator does.
enum ClusterFiles {
  static func configuration(_ node: Int) -> String { "node-\(node).yaml" }

  /// All files of the nodes.
  static func make(_ count: Int, in workplace: Workplace, pushPort: UInt16) async throws {
    let names = (0..<count).map { "node-\($0)" }.joined(separator: ",")
    let made = try Program(
      Program.beside("ringhold"), ["cluster", "init", "--nodes", names, "--out", workplace.path("secrets")], output: workplace.path("init"))
    guard try await made.untilItEnds() == 0 else { throw Trouble(try workplace.read("init")) }
    let password = try password(workplace)
    for number in 0..<count {
      let (address, secrets) = (Workplace.node(number), "secrets/node-\(number)")
      let more = """
        state: redis
        node:
          name: node-\(number)
          peers_listen: "\(address):7443"
          certificate: \(secrets)/node.pem
          key: \(secrets)/node.key
          ca: \(secrets)/cluster-ca.pem
          cluster_key: \(secrets)/cluster.key
        redis: {url: "redis://\(Workplace.redis):6379", username: ringhold, password: "\(password)"}
        """
      try workplace.writeConfiguration(configuration(number), at: address, pushPort: pushPort, more: more)
    }
  }

  static func password(_ workplace: Workplace) throws -> String {
    try workplace.read("secrets/redis-password").trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
