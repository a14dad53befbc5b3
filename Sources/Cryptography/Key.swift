import COpenSSL
import Primitives

/// A key in OpenSSL's keeping, which wipes private parts when the last reference goes. `@unchecked`: a key is never changed after
/// it was made, and OpenSSL counts references atomically.
@safe final class Key: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over one reference.
  init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  enum Kind: String, Sendable {
    case ed25519 = "ED25519"
    case x25519 = "X25519"
    case p256 = "EC"

    /// Which of the curves of the type "EC".
    var group: String? { self == .p256 ? "P-256" : nil }
  }

  static func generate(_ kind: Kind) -> Key {
    let context = unsafe Algorithms.require(EVP_PKEY_CTX_new_from_name(nil, kind.rawValue, nil), kind.rawValue)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    precondition(unsafe EVP_PKEY_keygen_init(context) == 1, "OpenSSL cannot make a key")
    if let group = kind.group { unsafe EVP_PKEY_CTX_set_group_name(context, group) }
    precondition(unsafe EVP_PKEY_generate(context, &key) == 1, "OpenSSL cannot make a key")
    return unsafe Key(owning: Algorithms.require(key, "a key"))
  }
}
