import COpenSSL
import Primitives

/// The algorithms that this module uses, each fetched from its provider once: a fetch by name takes a lock and costs more than
/// hashing a short message. The objects live as long as the process and OpenSSL shares them between threads, hence
/// `nonisolated(unsafe)`. A machine without one of them can serve nobody: better to end at once and say which.
enum Algorithms {
  nonisolated(unsafe) static let md5 = unsafe digest("MD5")
  nonisolated(unsafe) static let sha1 = unsafe digest("SHA1")
  nonisolated(unsafe) static let sha256 = unsafe digest("SHA2-256")
  nonisolated(unsafe) static let sha512of256 = unsafe digest("SHA2-512/256")
  nonisolated(unsafe) static let aes256GCM = unsafe cipher("AES-256-GCM")
  nonisolated(unsafe) static let chaCha20Poly1305 = unsafe cipher("ChaCha20-Poly1305")

  private static func cipher(_ name: String) -> OpaquePointer {
    unsafe require(EVP_CIPHER_fetch(nil, name, nil), name)
  }

  private static func digest(_ name: String) -> OpaquePointer {
    unsafe require(EVP_MD_fetch(nil, name, nil), name)
  }

  /// What only fails where memory is exhausted or OpenSSL lacks an algorithm.
  static func require(_ pointer: OpaquePointer?, _ what: String) -> OpaquePointer {
    guard let pointer = unsafe pointer else { preconditionFailure("OpenSSL does not give \(what)") }
    return unsafe pointer
  }

  static func require(_ key: Key?, _ what: String) -> Key {
    guard let key else { preconditionFailure("OpenSSL does not give \(what)") }
    return key
  }
}

extension Collection<UInt8> {
  /// The bytes where they are if they lie in one piece, else a copy of them.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    if let result = try withContiguousStorageIfAvailable({ try unsafe body($0) }) { return result }
    return try unsafe Array(self).withUnsafeBufferPointer { try unsafe body($0) }
  }
}
