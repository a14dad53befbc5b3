public import Primitives

/// Bytes that somebody spoilt.
public struct Spoiler {
  private var random: SeededRandom

  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  public mutating func spoil(_ bytes: Bytes) -> Bytes {
    var spoilt = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !spoilt.isEmpty {
      let place = Int.random(in: 0..<spoilt.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: spoilt[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: spoilt[place] = UInt8.random(in: .min ... .max, using: &random)
      case 2: spoilt.removeSubrange(place..<min(place + Int.random(in: 1...8, using: &random), spoilt.count))
      case 3: spoilt.insert(0xFF, at: place)
      default: spoilt.removeLast(Int.random(in: 1...spoilt.count, using: &random))
      }
    }
    return spoilt
  }
}
