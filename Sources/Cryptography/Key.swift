import COpenSSL
import Primitives

/// A key in OpenSSL's keeping, which wipes private parts when the last reference goes. `@unchecked`: a key is never changed after
/// it was made, and OpenSSL counts references atomically.
@safe final class Key: @unchecked Sendable {
  /// By OpenSSL's name for the type.
  enum Kind: String, Sendable {
    case ed25519 = "ED25519"
    case x25519 = "X25519"
    case p256 = "EC"
  }

  let pointer: OpaquePointer
  /// nil for a key that only TLS can use.
  let kind: Kind?

  /// Takes over one reference.
  init(owning pointer: OpaquePointer, _ kind: Kind?) {
    unsafe self.pointer = pointer
    self.kind = kind
  }

  /// Takes over one reference to a key from outside.
  convenience init(owning pointer: OpaquePointer) {
    unsafe self.init(owning: pointer, Self.kind(of: pointer))
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  static func generate(_ kind: Kind) -> Key {
    unsafe kind == .p256
      ? generate(kind, EVP_PKEY_CTX_new_from_pkey(nil, p256Template.pointer, nil))
      : generate(kind, EVP_PKEY_CTX_new_from_name(nil, kind.rawValue, nil))
  }

  /// Lends its curve to new keys: to set the curve up by its name takes longer than to make a key on it.
  private static let p256Template = unsafe generate(.p256, EVP_PKEY_CTX_new_from_name(nil, Kind.p256.rawValue, nil), group: "P-256")

  /// Takes over the context.
  private static func generate(_ kind: Kind, _ context: OpaquePointer?, group: String? = nil) -> Key {
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    precondition(unsafe EVP_PKEY_keygen_init(context) == 1, "OpenSSL cannot make a key")
    if let group { unsafe EVP_PKEY_CTX_set_group_name(context, group) }
    precondition(unsafe EVP_PKEY_generate(context, &key) == 1, "OpenSSL cannot make a key")
    return unsafe Key(owning: Algorithms.require(key, "a key"), kind)
  }

  /// P-256 is the only curve of the type "EC" for us.
  private static func kind(of pointer: OpaquePointer) -> Kind? {
    if unsafe EVP_PKEY_is_a(pointer, Kind.ed25519.rawValue) == 1 { return .ed25519 }
    if unsafe EVP_PKEY_is_a(pointer, Kind.x25519.rawValue) == 1 { return .x25519 }
    guard unsafe EVP_PKEY_is_a(pointer, Kind.p256.rawValue) == 1 else { return nil }
    let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { name in
      var count = 0
      let isKnown = unsafe EVP_PKEY_get_group_name(pointer, name.baseAddress, name.count, &count) == 1
      return unsafe isKnown ? name[..<count].map { UInt8(bitPattern: $0) }.text : ""
    }
    return name == "prime256v1" || name == "P-256" ? .p256 : nil
  }
}
