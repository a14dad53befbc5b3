import Foundation
import Testing

/// The cluster lab as CI tries it: small and short. Each test has a lab of its own.
private enum Lab {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// `ringhold` and `labphones` lie beside the tests.
  static let ringhold = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "ringhold").path
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

  static func run(_ name: String, _ words: String...) throws -> (status: Int32, text: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = root.appending(path: "cluster/lab")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(["LAB_NAME": name]) { $1 }
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }
}

@Test(.enabled(if: Lab.hindrance == nil, "no root, or not all tools"), .timeLimit(.minutes(5)))
func aSmallLabLosesNoCallAndLeavesNothingBehind() throws {
  let name = "t\(ProcessInfo.processInfo.processIdentifier)"
  defer { _ = try? Lab.run(name, "down") }
  let up = try Lab.run(name, "up", "--phones", "90", "--ring", "18", "--ringhold", Lab.ringhold)
  try #require(up.status == 0, "\(up.text)")
  // Its status says that nothing was lost that could have been kept, and that nothing came twice.
  let count = try Lab.run(name, "count", "kill", "--times", "1", "--rate", "4", "--accounts", "90")
  #expect(count.status == 0, "\(count.text)\(Lab.evidence(name))")
  let status = try Lab.run(name, "status")
  #expect(status.status == 0 && status.text.contains("node-c runs"), "\(status.text)")
  let down = try Lab.run(name, "down")
  #expect(down.status == 0, "\(down.text)")
  #expect(try FileManager.default.contentsOfDirectory(atPath: "/run/netns").filter { $0.hasPrefix("\(name)-") } == [])
  #expect(!FileManager.default.fileExists(atPath: FileManager.default.temporaryDirectory.appending(path: "ringhold-lab-\(name)").path))
}
