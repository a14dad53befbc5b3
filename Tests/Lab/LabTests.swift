import Foundation
import Network
import TestKit
import Testing

/// The cluster lab as CI tries it: small and short. Each test has a lab of its own.
private enum Lab {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let tools = ["/usr/sbin/kamailio", "/usr/bin/redis-sentinel", "/usr/sbin/knotd", "/usr/bin/knsupdate"]

  /// Why it cannot be tried here; nil where it can.
  static var hindrance: String? {
    if geteuid() != 0 { return "only root can make network namespaces" }
    if let missing = tools.first(where: { !FileManager.default.isExecutableFile(atPath: $0) }) {
      return "\(missing) is not there: ops/setup lab"
    }
    return nil
  }

  /// What is known of the calls that went otherwise: who called whom there nobody is.
  static func evidence(_ name: String) -> String {
    let logs = FileManager.default.temporaryDirectory.appending(path: "ringhold-lab-\(name)/logs")
    return (try? String(contentsOf: logs.appending(path: "bad-kill.jsonl"), encoding: .utf8)) ?? ""
  }

  /// `lab` with these words, to its end.
  @LoopActor
  static func run(_ name: String, _ words: String...) async throws -> Program.Outcome {
    let environment = ProcessInfo.processInfo.environment.merging(["LAB_NAME": name]) { $1 }
    return try await Program.run(root.appending(path: "cluster/lab").path, words, environment: environment, within: .seconds(280))
  }
}

@Test(.enabled(if: Lab.hindrance == nil, "no root, or not all tools"), .timeLimit(.minutes(5)))
func aSmallLabLosesNoCallAndLeavesNothingBehind() async throws {
  let name = "t\(ProcessInfo.processInfo.processIdentifier)"
  do {
    try await trySmallLab(name)
  } catch {
    _ = try? await Lab.run(name, "down")
    throw error
  }
  let down = try await Lab.run(name, "down")
  #expect(down.status == 0, "\(down.output)")
  #expect(try FileManager.default.contentsOfDirectory(atPath: "/run/netns").filter { $0.hasPrefix("\(name)-") } == [])
  #expect(!FileManager.default.fileExists(atPath: FileManager.default.temporaryDirectory.appending(path: "ringhold-lab-\(name)").path))
}

private func trySmallLab(_ name: String) async throws {
  // `labphones` lies beside it.
  let up = try await Lab.run(name, "up", "--phones", "90", "--ring", "18", "--ringhold", Program.ringhold)
  try #require(up.status == 0, "\(up.output)")
  // Its status says that nothing was lost that could have been kept, and that nothing came twice.
  let count = try await Lab.run(name, "count", "kill", "--times", "1", "--rate", "4", "--accounts", "90")
  #expect(count.status == 0, "\(count.output)\(Lab.evidence(name))")
  let status = try await Lab.run(name, "status")
  #expect(status.status == 0 && status.output.contains("node-c runs"), "\(status.output)")
}
