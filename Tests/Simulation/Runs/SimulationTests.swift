import Foundation
import Simulation
import Testing

/// Whole clusters: whatever breaks, the rules hold after every step. More seeds by RINGHOLD_SIMULATIONS in the environment, others by
/// RINGHOLD_SIMULATIONS_FROM.
@Suite struct SimulationTests {
  static let environment = ProcessInfo.processInfo.environment
  static let count = environment["RINGHOLD_SIMULATIONS"].flatMap { UInt64($0) } ?? 40
  static let first = environment["RINGHOLD_SIMULATIONS_FROM"].flatMap { UInt64($0) } ?? 0
  private static let parts: UInt64 = 4

  @Test(arguments: 0..<parts) func keepsTheRules(_ part: UInt64) {
    for seed in stride(from: Self.first + part, to: Self.first + Self.count, by: UInt64.Stride(Self.parts)) {
      guard keepsTheRules(seed: seed) else { return }
    }
  }

  @Test(arguments: FoundFaults.seeds) func seedsThatOnceFoundFaults(_ found: FoundFaults.Seed) { _ = keepsTheRules(seed: found.seed) }

  private func keepsTheRules(seed: UInt64) -> Bool {
    var world = World(Plan(seed: seed))
    let outcome = world.run()
    if !outcome.breaches.isEmpty {
      Issue.record("seed \(seed): \(outcome.breaches)\n\(Self.story(seed).suffix(120).joined(separator: "\n"))")
    }
    return outcome.breaches.isEmpty
  }

  private static func story(_ seed: UInt64) -> [String] {
    var world = World(Plan(seed: seed), isWriting: true)
    return world.run().story
  }

  @Test func sameSeedSameStory() {
    for seed: UInt64 in 0..<6 {
      #expect(Self.story(seed) == Self.story(seed))
    }
  }
}
