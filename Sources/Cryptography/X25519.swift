import COpenSSL
import Primitives
import Synchronization

/// Keys of X25519 that are used once.
///
/// OpenSSL finds a new key's public half by a table of multiples, which a busy server's cache has lost by the next call: it took more
/// than twice as long as an agreement. But a public key is nothing else than an agreement with the base point (RFC 7748 §6.1).
enum X25519 {
  /// u = 9.
  static let basePoint = Algorithms.require(Key.unchecked(.x25519, publicKey: nine), "the base point of X25519")

  private static let nine: Bytes = [9] + Bytes(repeating: 0, count: 31)

  /// A fresh scalar as a key that can agree with others. Its own public half is not known to OpenSSL, which has the base point in
  /// that place: so the key never leaves this module.
  static func makeScalar() -> Key {
    var scalar = SystemRandom.bytes(32)
    defer { scalar.wipe() }
    return importer.withLock { $0.key(scalar) }
  }

  private static let importer = Mutex(Importer())

  /// One context for all keys: to look the type up by its name takes longer than to make a key. `@unchecked`: only the owner of the
  /// lock uses it.
  @safe private struct Importer: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    init() {
      unsafe context = Algorithms.require(EVP_PKEY_CTX_new_from_name(nil, Key.Kind.x25519.rawValue, nil), "X25519")
      precondition(unsafe EVP_PKEY_fromdata_init(context) == 1, "OpenSSL cannot import a key")
    }

    deinit { unsafe EVP_PKEY_CTX_free(context) }

    func key(_ scalar: Bytes) -> Key {
      unsafe Key(owning: Algorithms.require(ringhold_x25519_key(context, X25519.nine, scalar), "a key"), .x25519)
    }
  }
}
