import Cryptography
public import Primitives

/// The hash of a digest (RFC 2617, RFC 8760), the weakest first.
public enum DigestAlgorithm: UInt8, Sendable, Hashable, Comparable, CaseIterable {
  case md5, sha256, sha512to256

  /// As RFC 8760 §2.1 and the phone contract spell it.
  public var name: StaticString {
    switch self {
    case .md5: "MD5"
    case .sha256: "SHA-256"
    case .sha512to256: "SHA-512-256"
    }
  }

  /// Names are compared without case.
  public init?(_ name: some Collection<UInt8>) {
    guard let known = Self.allCases.first(where: { name.equalsIgnoringCase($0.name) }) else { return nil }
    self = known
  }

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// How many bytes a hash has.
  public var length: Int { self == .md5 ? 16 : 32 }

  /// The hash in lower-case hexadecimal digits, as every part of a digest uses it.
  func hexHash(_ bytes: Bytes) -> Bytes {
    let hash =
      switch self {
      case .md5: Hash.md5(bytes)
      case .sha256: Hash.sha256(bytes)
      case .sha512to256: Hash.sha512_256(bytes)
      }
    return Array(Hex.encode(hash).utf8)
  }
}

/// H(user:realm:password) of one realm and algorithm: all that the server ever learns of a password.
public struct DigestCredential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public let realm: Bytes
  public let algorithm: DigestAlgorithm
  /// Lower-case hexadecimal digits.
  let ha1: Bytes

  /// nil unless `ha1` is a hash of the algorithm in hexadecimal digits.
  public init?(realm: Bytes, algorithm: DigestAlgorithm, ha1: some Collection<UInt8>) {
    guard let hash = Hex.decode(ha1), hash.count == algorithm.length else { return nil }
    self.realm = realm
    self.algorithm = algorithm
    self.ha1 = Array(Hex.encode(hash).utf8)
  }

  /// The same digits that `init` took, for a store.
  public var storedHA1: Bytes { ha1 }

  /// Says nothing: a secret must not reach a log.
  public var description: String { "DigestCredential" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
