import Foundation
import Network
import Primitives

/// A redis-server with the configuration that `cluster/redis` gives to operators, and what it says of itself.
@LoopActor
final class Redis {
  private let program: Program
  private let workplace: Workplace
  private static let operatorPassword = "benchmark"

  /// Answering.
  init(_ workplace: Workplace) async throws {
    self.workplace = workplace
    var text = try String(contentsOfFile: Workplace.redisConfiguration, encoding: .utf8)
    let values = [
      "@ADDRESS@": Workplace.redis, "@PASSWORD@": try ClusterFiles.password(workplace), "@OPERATOR_PASSWORD@": Self.operatorPassword,
    ]
    for (name, value) in values { text = text.replacingOccurrences(of: name, with: value) }
    try workplace.write(Bytes(text.utf8), "redis.conf")
    program = try Program(
      Program.find("redis-server"), [workplace.path("redis.conf"), "--dir", workplace.folder], output: workplace.path("redis.log"))
    for _ in 0..<100 where program.isRunning {
      if try await ask("PING").contains("PONG") { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw Trouble("Redis does not start: " + (try workplace.read("redis.log")))
  }

  func stop() { program.kill() }

  var cpu: Duration { ProcessMeter(program.processID).cpu }

  func reading() async throws -> RedisReading { RedisReading(try await ask("INFO", "all")) }

  /// What redis-cli prints.
  private func ask(_ words: String...) async throws -> String {
    let access = ["-h", Workplace.redis, "--no-auth-warning", "--user", "operator", "--pass", Self.operatorPassword]
    let client = try Program(Program.find("redis-cli"), access + words, output: workplace.path("redis-cli.out"))
    _ = try await client.untilItEnds()
    return try workplace.read("redis-cli.out")
  }
}

/// What Redis had done by one moment; or, of two such moments, in between.
struct RedisReading {
  /// Commands that nodes sent: most are scripts.
  let commands: Double
  /// Commands that the scripts ran inside of Redis.
  let steps: Double
  /// To Redis, and from it.
  let received: Double
  let sent: Double
  /// What Redis has taken of its memory for all that is in it.
  let memory: Double

  /// From the text of INFO: `cmdstat_hget:calls=12,usec=…`.
  init(_ info: String) {
    var (values, calls): ([Substring: Double], [Substring: Double]) = ([:], [:])
    for line in info.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      if parts[0].hasPrefix("cmdstat_"), let count = parts[1].split(separator: ",").first?.dropFirst("calls=".count) {
        calls[parts[0].dropFirst("cmdstat_".count)] = Double(count)
      } else {
        values[parts[0]] = Double(parts[1])
      }
    }
    commands = calls.filter { Self.ofNodes.contains($0.key) }.values.reduce(0, +)
    steps = calls.filter { !Self.ofNodes.contains($0.key) && !Self.ofReaders.contains($0.key) }.values.reduce(0, +)
    received = values["total_net_input_bytes"] ?? 0
    sent = values["total_net_output_bytes"] ?? 0
    memory = values["used_memory"] ?? 0
  }

  private static let ofNodes: Set<Substring> = ["eval", "evalsha", "ping"]
  private static let ofReaders: Set<Substring> = ["info", "auth", "hello", "command|docs", "client|setinfo", "config|get", "role"]

  private init(_ commands: Double, _ steps: Double, _ received: Double, _ sent: Double, _ memory: Double) {
    (self.commands, self.steps, self.received, self.sent, self.memory) = (commands, steps, received, sent, memory)
  }

  static func - (one: RedisReading, other: RedisReading) -> RedisReading {
    RedisReading(
      one.commands - other.commands, one.steps - other.steps, one.received - other.received, one.sent - other.sent,
      one.memory - other.memory)
  }

  func times(_ share: Double) -> RedisReading {
    RedisReading(commands * share, steps * share, received * share, sent * share, memory * share)
  }

  /// For each of `count`.
  func text(each count: Int) -> String {
    let number = Double(max(count, 1))
    func share(_ total: Double) -> String { Report.decimal(total / number, 1) }
    return "\(share(commands)) commands (\(share(steps)) steps in their scripts), \(Int(received / number)) bytes to Redis, "
      + "\(Int(sent / number)) bytes from it"
  }
}
