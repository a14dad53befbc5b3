/// xoshiro256** 1.0 (Blackman and Vigna). A machine holds one as part of its state, so the same seed gives the same story. In a
/// node the seed comes from the system's random source. Fit for tags, branches and jitter; keys come from Cryptography.
public struct SeededRandom: RandomNumberGenerator, Sendable, Equatable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// Any seed will do: SplitMix64 spreads it.
  public init(seed: UInt64) {
    var spread = seed
    func next() -> UInt64 {
      spread &+= 0x9E37_79B9_7F4A_7C15
      var mixed = spread
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    state = (next(), next(), next(), next())
  }

  /// 256 bits of seed from a generator that cannot be guessed.
  public init(from source: inout some RandomNumberGenerator) {
    state = (source.next() | 1, source.next(), source.next(), source.next())
  }

  public mutating func next() -> UInt64 {
    let result = (state.1 &* 5).rotated(left: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = state.3.rotated(left: 45)
    return result
  }

  /// `count` random bytes.
  public mutating func bytes(_ count: Int) -> Bytes {
    var bits: UInt64 = 0
    return (0..<count).map { index in
      if index % 8 == 0 { bits = next() }
      defer { bits >>= 8 }
      return UInt8(truncatingIfNeeded: bits)
    }
  }

  /// `count` characters of url-safe Base64, six random bits each: a token in every protocol we speak.
  public mutating func token(_ count: Int) -> Bytes {
    var bits: UInt64 = 0
    return (0..<count).map { index in
      if index % 10 == 0 { bits = next() }
      defer { bits >>= 6 }
      return Base64.urlSafe.character(of: UInt8(truncatingIfNeeded: bits & 63))
    }
  }

  /// `duration`, shortened by a random part of up to `share` of it.
  public mutating func jittered(_ duration: Duration, share: Double) -> Duration {
    duration * (1 - Double.random(in: 0...share, using: &self))
  }

  public static func == (left: SeededRandom, right: SeededRandom) -> Bool { left.state == right.state }
}

extension UInt64 {
  fileprivate func rotated(left count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
