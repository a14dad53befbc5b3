import Testing

/// Whichever nodes die, whenever: the rules hold, and no call and no account is left behind.
@Suite struct ClusterStoryTests {
  static let seeds = RandomStoryTests.seeds
  static let steps = 60
  private static let parts: UInt64 = 8

  @Test(arguments: 0..<parts) func keepsTheRules(_ part: UInt64) throws {
    for seed in stride(from: part, to: Self.seeds, by: UInt64.Stride(Self.parts)) {
      var story = ClusterStory(seed: seed)
      let breaches = try story.play(steps: Self.steps)
      guard !breaches.isEmpty else { continue }
      Issue.record("seed \(seed): \(breaches)\n\(try transcript(seed))")
      return
    }
  }

  private func transcript(_ seed: UInt64) throws -> String {
    var story = ClusterStory(seed: seed, isWriting: true)
    _ = try story.play(steps: Self.steps)
    return story.story.stage.lines.suffix(100).joined(separator: "\n")
  }
}
