public import Primitives

/// The group that a sealing key is of; it decides the suite (see `HPKE`).
public enum SealingAlgorithm: Hashable, Sendable {
  case x25519, p256

  var kind: Key.Kind { self == .x25519 ? .x25519 : .p256 }
}

/// Whom something is sealed for. Only exists for a key that passed every check.
public struct SealingPublicKey: Sendable {
  public let algorithm: SealingAlgorithm
  /// As RFC 9180 §7.1.1 writes it: 32 bytes, or for P-256 the uncompressed point of 65.
  public let rawValue: Bytes
  let key: Key

  /// Also takes a signing key on P-256, which may be used for both.
  public init(jwk: JWK) throws(KeyError) {
    switch (jwk.kty, jwk.crv) {
    case ("OKP", "X25519"): try self.init(.x25519, rawValue: jwk.octets())
    case ("EC", "P-256"): try self.init(.p256, rawValue: jwk.point())
    default: throw .unsupportedKind
    }
  }

  public init(_ algorithm: SealingAlgorithm, rawValue: Bytes) throws(KeyError) {
    key = try Key.importing(algorithm.kind, publicKey: rawValue)
    self.algorithm = algorithm
    self.rawValue = rawValue
  }

  /// The public half.
  init(_ algorithm: SealingAlgorithm, of key: Key) {
    self.algorithm = algorithm
    self.rawValue = key.publicKey
    self.key = key
  }

  public var jwk: JWK { algorithm == .p256 ? JWK(point: rawValue) : JWK(octets: rawValue, crv: "X25519") }
}

extension SealingPublicKey: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.algorithm == right.algorithm && left.rawValue == right.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// Opens what was sealed for its public key.
public final class SealingPrivateKey: Sendable {
  public let publicKey: SealingPublicKey
  let key: Key

  public static func generate(_ algorithm: SealingAlgorithm) -> SealingPrivateKey {
    SealingPrivateKey(algorithm, key: .generate(algorithm.kind))
  }

  /// The 32 bytes that `rawValue` gave, or for P-256 those of a `SigningPrivateKey`.
  public convenience init(_ algorithm: SealingAlgorithm, rawValue: Bytes) throws(KeyError) {
    self.init(algorithm, key: try Key.importing(algorithm.kind, privateKey: rawValue))
  }

  private init(_ algorithm: SealingAlgorithm, key: Key) {
    publicKey = SealingPublicKey(algorithm, of: key)
    self.key = key
  }

  public var algorithm: SealingAlgorithm { publicKey.algorithm }

  /// The secret, 32 bytes.
  public var rawValue: Bytes { key.privateKey }
}
