import PhoneContract
import Primitives
import Store
import Testing

@testable import Switchboard

/// Whatever happens in whatever order: the rules of `Ledger` hold after every step, and in the end nothing is left.
@Suite struct RandomStoryTests {
  static let seeds: UInt64 = 3000
  static let steps = 60
  private static let parts: UInt64 = 8

  @Test(arguments: 0..<parts) func keepsTheRules(_ part: UInt64) throws {
    for seed in stride(from: part, to: Self.seeds, by: UInt64.Stride(Self.parts)) {
      var story = Story(seed: seed)
      try story.play(steps: Self.steps)
      let breaches = story.stage.finish()
      #expect(breaches == [], "seed \(seed)")
      guard breaches.isEmpty else { return }
    }
  }

  @Test func sameSeedSameStory() throws {
    for seed: UInt64 in 0..<20 {
      var (first, second) = (Story(seed: seed), Story(seed: seed))
      (first.stage.isWriting, second.stage.isWriting) = (true, true)
      try first.play(steps: Self.steps)
      try second.play(steps: Self.steps)
      #expect(first.stage.lines == second.stage.lines)
    }
  }
}
