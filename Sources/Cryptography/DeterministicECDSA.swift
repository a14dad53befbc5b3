import Primitives

/// ECDSA on P-256 with SHA-256 where the signature follows from key and message alone (RFC 6979): whoever has the key, on whichever
/// machine and after whichever restart, makes the same bytes.
enum DeterministicECDSA {
  /// A candidate is out of range once in 2^32: this many in a row means that the machine is broken.
  private static let candidates = 16

  /// - Parameter scalar: of a private key, 32 bytes from 1 to the order - 1.
  /// - Returns: r ‖ s, 64 bytes.
  static func sign(_ message: some Collection<UInt8>, scalar: Bytes) -> Bytes {
    let digest = Hash.sha256(message)
    var nonces = NonceSequence(scalar: scalar, digest: OrderArithmetic().reduced(digest))
    for _ in 0..<candidates {
      var nonce = nonces.next()
      defer { nonce.wipe() }
      if let signature = OrderArithmetic().signature(digest: digest, scalar: scalar, nonce: nonce) { return signature }
    }
    preconditionFailure("no nonce is in range")
  }
}

/// The candidates for the nonce `k` (RFC 6979 §3.2, with qlen = hlen = 256).
private struct NonceSequence: ~Copyable {
  private var key = Bytes(repeating: 0, count: HMAC.size)
  private var value = Bytes(repeating: 1, count: HMAC.size)
  private var isFirst = true

  /// Steps b to g.
  init(scalar: Bytes, digest: Bytes) {
    for round: UInt8 in 0...1 { turn(round, scalar, digest) }
  }

  deinit {
    // Noncopyable and at its end: these are the last references.
    var (key, value) = (key, value)
    key.wipe()
    value.wipe()
  }

  /// Step h: the next candidate. A secret: the caller wipes it.
  mutating func next() -> Bytes {
    if !isFirst { turn(0) }
    isFirst = false
    advance()
    // Another buffer: wiping the candidate must not touch ours.
    return unsafe value.withUnsafeBufferPointer { unsafe Bytes($0) }
  }

  private mutating func turn(_ round: UInt8, _ parts: Bytes...) {
    let new = unsafe HMAC.compute(key: key) { context in
      unsafe HMAC.update(context, value)
      unsafe HMAC.update(context, [round])
      for part in parts { unsafe HMAC.update(context, part) }
    }
    key.wipe()
    key = new
    advance()
  }

  private mutating func advance() {
    let new = unsafe HMAC.compute(key: key) { context in unsafe HMAC.update(context, value) }
    value.wipe()
    value = new
  }
}
