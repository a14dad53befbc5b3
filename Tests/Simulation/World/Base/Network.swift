import Primitives

/// How long things take between two parties, and whether they arrive.
struct Network {
  private var random: SeededRandom
  private var cuts: [Pair: Int] = [:]
  private var slowness: [Pair: Duration] = [:]
  /// Of datagrams, in thousandths.
  var loss = 0

  init(random: SeededRandom) { self.random = random }

  // MARK: Faults

  mutating func cut(_ one: Party, _ other: Party) { cuts[Pair(one, other), default: 0] += 1 }

  /// Whether nothing keeps them apart any more.
  mutating func heal(_ one: Party, _ other: Party) -> Bool {
    let left = (cuts[Pair(one, other)] ?? 1) - 1
    cuts[Pair(one, other)] = left > 0 ? left : nil
    return left <= 0
  }

  func isCut(_ one: Party, _ other: Party) -> Bool { !cuts.isEmpty && cuts[Pair(one, other)] != nil }

  mutating func slow(_ one: Party, _ other: Party, by extra: Duration?) { slowness[Pair(one, other)] = extra }

  // MARK: Chance

  /// From one to the other, this time.
  mutating func delay(_ one: Party, _ other: Party) -> Duration {
    let (shortest, longest) = Self.range(one, other)
    var microseconds = Int64.random(in: shortest...longest, using: &random)
    // Now and then something waits in a queue.
    if random.next() & 127 == 0 { microseconds += Int64.random(in: 0...longest * 8, using: &random) }
    let extra = slowness.isEmpty ? nil : slowness[Pair(one, other)]
    if let extra { microseconds += Int64.random(in: 0...extra.nanoseconds / 1000, using: &random) }
    return .microseconds(microseconds)
  }

  mutating func losesDatagram() -> Bool { loss > 0 && Int.random(in: 0..<1000, using: &random) < loss }

  /// In microseconds.
  private static func range(_ one: Party, _ other: Party) -> (Int64, Int64) {
    switch (one, other) {
    case (.phone, _), (_, .phone): (15_000, 150_000)
    case (.provider, _), (_, .provider): (3_000, 30_000)
    case (.push, _), (_, .push): (10_000, 80_000)
    default: (150, 1_500)
    }
  }
}
