import COpenSSL
public import Primitives

/// Digests of whole messages. MD5 and SHA-1 are here for what protocols demand (digest authentication, WebSocket), not for
/// anything that has to withstand an attacker.
public enum Hash {
  /// RFC 1321, 16 bytes.
  public static func md5(_ message: some Collection<UInt8>) -> Bytes { unsafe digest(message, Algorithms.md5, size: 16) }

  /// FIPS 180-4, 20 bytes.
  public static func sha1(_ message: some Collection<UInt8>) -> Bytes { unsafe digest(message, Algorithms.sha1, size: 20) }

  /// FIPS 180-4, 32 bytes.
  public static func sha256(_ message: some Collection<UInt8>) -> Bytes { unsafe digest(message, Algorithms.sha256, size: 32) }

  /// FIPS 180-4 SHA-512/256, 32 bytes: the "SHA-512-256" of RFC 7616.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func sha512_256(_ message: some Collection<UInt8>) -> Bytes { unsafe digest(message, Algorithms.sha512of256, size: 32) }

  private static func digest(_ message: some Collection<UInt8>, _ algorithm: OpaquePointer, size: Int) -> Bytes {
    unsafe message.withBytes { message in
      unsafe Bytes(unsafeUninitializedCapacity: size) { out, count in
        let result = unsafe EVP_Digest(message.baseAddress, message.count, out.baseAddress, nil, algorithm, nil)
        precondition(result == 1, "OpenSSL has no memory for a digest")
        count = size
      }
    }
  }
}
