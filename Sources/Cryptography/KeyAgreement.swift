import COpenSSL
import Primitives

/// Diffie-Hellman on both groups.
enum KeyAgreement {
  /// The 32 bytes that both sides get: RFC 7748 §6.1, or the x coordinate (RFC 9180 §7.1). nil for all zeros (RFC 9180 §7.1.4). A
  /// secret: the caller wipes it.
  static func secret(_ mine: Key, _ theirs: Key) -> Bytes? {
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, mine.pointer, nil) else { return nil }
    defer {
      unsafe EVP_PKEY_CTX_free(context)
      ERR_clear_error()
    }
    // The keys were checked when they were made, so OpenSSL need not do it again: for P-256 that would double the work.
    guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer_ex(context, theirs.pointer, 0) == 1 else {
      return nil
    }
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
