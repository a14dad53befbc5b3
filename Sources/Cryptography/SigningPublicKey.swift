import COpenSSL
public import Primitives

/// What a signature is made with.
public enum SigningAlgorithm: Hashable, Sendable {
  /// RFC 8032.
  case ed25519
  /// ECDSA on P-256 with SHA-256; a signature is r ‖ s, 32 bytes each (RFC 7518 §3.4, RFC 9421 §3.3.4).
  case p256

  var kind: Key.Kind { self == .ed25519 ? .ed25519 : .p256 }

  static let signatureSize = 64
}

/// Checks a device's signatures. Only exists for a key that passed every check.
public struct SigningPublicKey: Sendable {
  public let algorithm: SigningAlgorithm
  /// 32 bytes, or for P-256 the uncompressed point of 65.
  public let rawValue: Bytes
  private let key: Key

  public init(jwk: JWK) throws(KeyError) {
    switch (jwk.kty, jwk.crv) {
    case ("OKP", "Ed25519"): try self.init(.ed25519, rawValue: jwk.octets())
    case ("EC", "P-256"): try self.init(.p256, rawValue: jwk.point())
    default: throw .unsupportedKind
    }
  }

  public init(_ algorithm: SigningAlgorithm, rawValue: Bytes) throws(KeyError) {
    key = try Key.importing(algorithm.kind, publicKey: rawValue)
    self.algorithm = algorithm
    self.rawValue = rawValue
  }

  /// The public half.
  init(_ algorithm: SigningAlgorithm, of key: Key) {
    self.algorithm = algorithm
    self.rawValue = key.publicKey
    self.key = key
  }

  public func isValid(signature: some Collection<UInt8>, for message: some Collection<UInt8>) -> Bool {
    guard signature.count == SigningAlgorithm.signatureSize else { return false }
    guard algorithm == .p256 else { return verify(signature, message) }
    return verify(ECDSASignature.der(raw: Array(signature)), message)
  }

  private func verify(_ signature: some Collection<UInt8>, _ message: some Collection<UInt8>) -> Bool {
    let context = unsafe Algorithms.require(EVP_MD_CTX_new(), "a signature check")
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    let digest = unsafe algorithm == .p256 ? Algorithms.sha256 : nil
    guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key.pointer) == 1 else { return false }
    return unsafe signature.withBytes { signature in
      unsafe message.withBytes { message in
        unsafe EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
      }
    }
  }

  public var jwk: JWK { algorithm == .p256 ? JWK(point: rawValue) : JWK(octets: rawValue, crv: "Ed25519") }

  /// RFC 7638 with SHA-256, base64url: 43 characters.
  public var thumbprint: String { jwk.thumbprint }
}

extension SigningPublicKey: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.algorithm == right.algorithm && left.rawValue == right.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
