import Foundation
import Testing

/// One story as text: commands behind `>`, what comes out below each. With RINGHOLD_REWRITE_SCENARIOS=1 in the environment the files
/// are written anew with what really came out, to be read as a diff.
struct Scenario: Sendable, CustomTestStringConvertible {
  let file: String
  let title: String
  var steps: [Step] = []

  enum Step: Sendable, Equatable {
    case command(String, output: [String])
    /// A remark, or an empty line.
    case remark(String)
  }

  var testDescription: String { "\(file): \(title)" }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scenarios")
  static let isRewriting = ProcessInfo.processInfo.environment["RINGHOLD_REWRITE_SCENARIOS"] == "1"

  static let all: [Scenario] = files.flatMap { read($0) }

  static var files: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted()
  }

  static func read(_ file: String) -> [Scenario] {
    let text = (try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)) ?? ""
    var scenarios: [Scenario] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("== ") {
        scenarios.append(Scenario(file: file, title: String(line.dropFirst(3))))
      } else if !scenarios.isEmpty {
        scenarios[scenarios.count - 1].take(line)
      }
    }
    return scenarios
  }

  private mutating func take(_ line: String) {
    if line.hasPrefix("> ") { return steps.append(.command(String(line.dropFirst(2)), output: [])) }
    if line.isEmpty || line.hasPrefix("#") { return steps.append(.remark(line)) }
    guard case .command(let command, let output) = steps.last else { return }
    steps[steps.count - 1] = .command(command, output: output + [line])
  }

  /// The same story with what really came out.
  func played() throws -> (Scenario, leaks: [String]) {
    var script = Script()
    var played = self
    for (index, step) in steps.enumerated() {
      guard case .command(let command, _) = step else { continue }
      played.steps[index] = .command(command, output: try script.run(command))
    }
    return (played, script.stage.finish())
  }

  var text: String {
    let lines = steps.flatMap { step in
      switch step {
      case .command(let command, let output): ["> " + command] + output
      case .remark(let remark): [remark]
      }
    }
    return (["== " + title] + lines).joined(separator: "\n")
  }
}
