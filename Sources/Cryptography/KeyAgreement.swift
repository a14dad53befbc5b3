import COpenSSL
import Primitives

/// Diffie-Hellman on both groups.
enum KeyAgreement {
  /// The 32 bytes that both sides get: RFC 7748 §6.1, or the x coordinate (RFC 9180 §7.1). nil for all zeros (RFC 9180 §7.1.4). A
  /// secret: the caller wipes it.
  static func secret(_ mine: Key, _ theirs: Key) -> Bytes? {
    unsafe withContext(of: mine) { context in unsafe derive(context, theirs) }
  }

  /// The same for a key that was made for this once: its public half, and the secret.
  static func fresh(with theirs: Key, _ kind: Key.Kind) -> (publicKey: Bytes, secret: Bytes)? {
    guard kind == .x25519 else {
      let mine = Key.generate(kind)
      return secret(mine, theirs).map { (mine.publicKey, $0) }
    }
    return unsafe withContext(of: X25519.makeScalar()) { context in
      guard let publicKey = unsafe derive(context, X25519.basePoint), let secret = unsafe derive(context, theirs) else { return nil }
      return (publicKey, secret)
    }
  }

  private static func withContext<Value>(of mine: Key, _ body: (OpaquePointer) -> Value?) -> Value? {
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, mine.pointer, nil) else { return nil }
    defer {
      unsafe EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    guard unsafe EVP_PKEY_derive_init(context) == 1 else { return nil }
    return unsafe body(context)
  }

  private static func derive(_ context: OpaquePointer, _ theirs: Key) -> Bytes? {
    // The keys were checked when they were made, so OpenSSL need not do it again: for P-256 that would double the work.
    guard unsafe EVP_PKEY_derive_set_peer_ex(context, theirs.pointer, 0) == 1 else { return nil }
    var isDone = false
    let secret = unsafe Bytes(unsafeUninitializedCapacity: 32) { out, count in
      count = 32
      isDone = unsafe EVP_PKEY_derive(context, out.baseAddress, &count) == 1 && count == 32
      if !isDone { count = 0 }
    }
    return isDone && !isEqualInConstantTime(secret, zeros) ? secret : nil
  }

  private static let zeros = Bytes(repeating: 0, count: 32)
}
