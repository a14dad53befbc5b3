import Testing

/// Seeds that once broke a rule, and what was wrong then. A seed tells the same story only as long as the world draws its chances in
/// the same order; each keeps its worth as one more story all the same.
enum FoundFaults {
  struct Seed: Sendable, CustomTestStringConvertible {
    let seed: UInt64
    let why: String
    var testDescription: String { "\(seed): \(why)" }
  }

  static let seeds: [Seed] = []
}
