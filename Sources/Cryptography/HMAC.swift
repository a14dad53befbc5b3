import COpenSSL
public import Primitives

/// RFC 2104 with SHA-256: 32 bytes.
public func hmacSHA256(key: some Collection<UInt8>, _ message: some Collection<UInt8>) -> Bytes {
  unsafe HMAC.compute(key: key) { context in unsafe HMAC.update(context, message) }
}

/// HMAC-SHA-256 in steps, for messages of several parts.
enum HMAC {
  /// Knows its digest already: a copy of it needs no lookup by name.
  nonisolated(unsafe) private static let template = unsafe makeTemplate()

  static let size = 32

  /// Feed the message to `update` inside `feed`.
  static func compute(key: some Collection<UInt8>, _ feed: (OpaquePointer) -> Void) -> Bytes {
    let context = unsafe Algorithms.require(EVP_MAC_CTX_dup(template), "a copy of HMAC")
    defer { unsafe EVP_MAC_CTX_free(context) }
    unsafe start(context, key: key)
    unsafe feed(context)
    return unsafe Bytes(unsafeUninitializedCapacity: size) { out, count in
      check(unsafe EVP_MAC_final(context, out.baseAddress, &count, size))
    }
  }

  static func update(_ context: OpaquePointer, _ part: some Collection<UInt8>) {
    unsafe part.withBytes { check(unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)) }
  }

  /// HMAC fills the key up with zeros, so one zero is the same key as none; OpenSSL takes an absent key for "the key of before".
  private static func start(_ context: OpaquePointer, key: some Collection<UInt8>) {
    guard !key.isEmpty else { return unsafe start(context, key: CollectionOfOne(0)) }
    unsafe key.withBytes { check(unsafe EVP_MAC_init(context, $0.baseAddress, $0.count, nil)) }
  }

  private static func makeTemplate() -> OpaquePointer {
    let mac = unsafe Algorithms.require(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
    let context = unsafe Algorithms.require(EVP_MAC_CTX_new(mac), "HMAC")
    check(unsafe ringhold_mac_digest(context, "SHA2-256"))
    return unsafe context
  }

  private static func check(_ result: Int32) { precondition(result == 1, "OpenSSL has no memory for an HMAC") }
}
