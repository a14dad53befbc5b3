import Foundation
import Primitives
import Testing

@testable import Switchboard

/// Whatever happens in whatever order: the rules of `Ledger` hold after every step, and in the end nothing is left. More seeds by
/// RINGHOLD_STORIES in the environment.
@Suite struct RandomStoryTests {
  static let seeds = ProcessInfo.processInfo.environment["RINGHOLD_STORIES"].flatMap { UInt64($0) } ?? 300
  static let steps = 60
  private static let parts: UInt64 = 8

  @Test(arguments: 0..<parts) func keepsTheRules(_ part: UInt64) throws {
    for seed in stride(from: part, to: Self.seeds, by: UInt64.Stride(Self.parts)) {
      var story = Story(seed: seed)
      let breaches = try story.play(steps: Self.steps)
      guard !breaches.isEmpty else { continue }
      Issue.record("seed \(seed): \(breaches)\n\(try transcript(seed))")
      return
    }
  }

  /// The end of the story as it went.
  private func transcript(_ seed: UInt64) throws -> String {
    var story = Story(seed: seed, isWriting: true)
    _ = try story.play(steps: Self.steps)
    return story.stage.lines.suffix(60).joined(separator: "\n")
  }

  @Test func sameSeedSameStory() throws {
    for seed: UInt64 in 0..<20 {
      var (first, second) = (Story(seed: seed, isWriting: true), Story(seed: seed, isWriting: true))
      _ = try first.play(steps: Self.steps)
      _ = try second.play(steps: Self.steps)
      #expect(first.stage.lines == second.stage.lines)
    }
  }
}
