import COpenSSL
public import Primitives

/// Randomness that nobody can guess: keys, nonces, seeds. Draws from OpenSSL's generator, which the kernel seeds, many numbers at
/// a time. A copy never repeats what the original gives.
public struct SystemRandom: RandomNumberGenerator, Sendable {
  private var pool = Pool()

  public init() {}

  public mutating func next() -> UInt64 {
    if !isKnownUniquelyReferenced(&pool) { pool = Pool() }
    return pool.take()
  }

  /// `count` random bytes.
  public static func bytes(_ count: Int) -> Bytes {
    unsafe Bytes(unsafeUninitializedCapacity: count) { out, filled in
      unsafe fill(UnsafeMutableRawBufferPointer(out))
      filled = count
    }
  }

  /// Going on without randomness would give keys away, so this ends the process where there is none.
  fileprivate static func fill(_ out: UnsafeMutableRawBufferPointer) {
    let result = unsafe RAND_bytes(out.baseAddress, Int32(out.count))
    precondition(result == 1, "the system has no randomness")
  }

  /// Numbers drawn ahead. `@unchecked`: only changed by the one generator that holds it, `next` checks that.
  private final class Pool: @unchecked Sendable {
    private var numbers = [UInt64](repeating: 0, count: 32)
    private var left = 0

    func take() -> UInt64 {
      if left == 0 { draw() }
      left -= 1
      defer { numbers[left] = 0 }
      return numbers[left]
    }

    private func draw() {
      unsafe numbers.withUnsafeMutableBytes { unsafe SystemRandom.fill($0) }
      left = numbers.count
    }
  }
}
