import Foundation
import Testing

@Suite struct ScenarioTests {
  @Test(arguments: Scenario.all) func comesOutAsWritten(_ scenario: Scenario) throws {
    let (played, leaks) = try scenario.played()
    #expect(leaks == [])
    guard !Scenario.isRewriting else { return }
    for (written, real) in zip(scenario.steps, played.steps) where written != real {
      Issue.record("written: \(written)\n   real: \(real)")
      return
    }
  }

  @Test(.enabled(if: Scenario.isRewriting, "only where RINGHOLD_REWRITE_SCENARIOS asks for it")) func rewrite() throws {
    for file in Scenario.files {
      let text = try Scenario.read(file).map { try $0.played().0.text }.joined(separator: "\n")
      try text.write(to: Scenario.folder.appendingPathComponent(file), atomically: true, encoding: .utf8)
    }
  }
}
