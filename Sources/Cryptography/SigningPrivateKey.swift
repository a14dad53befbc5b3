import COpenSSL
public import Primitives

/// Signs: a phone its requests, the server its tokens for push services.
public final class SigningPrivateKey: Sendable {
  public let algorithm: SigningAlgorithm
  private let key: Key

  public static func generate(_ algorithm: SigningAlgorithm) -> SigningPrivateKey {
    SigningPrivateKey(algorithm, key: .generate(algorithm.kind))
  }

  /// A PKCS #8 file in PEM without a password, as push services hand them out (`.p8`).
  public convenience init(pem: Bytes) throws(KeyError) {
    guard let key = PEM.privateKey(pem) else { throw .unusablePEM }
    switch key.kind {
    case .ed25519: self.init(.ed25519, key: key)
    case .p256: self.init(.p256, key: key)
    case .x25519, nil: throw .unsupportedKind
    }
  }

  /// The 32 bytes that `rawValue` gave.
  public convenience init(_ algorithm: SigningAlgorithm, rawValue: Bytes) throws(KeyError) {
    self.init(algorithm, key: try Key.importing(algorithm.kind, privateKey: rawValue))
  }

  private init(_ algorithm: SigningAlgorithm, key: Key) {
    self.algorithm = algorithm
    self.key = key
  }

  /// The secret: the seed (RFC 8032 §5.1.5) or the scalar, 32 bytes.
  public var rawValue: Bytes { key.privateKey }

  public var publicKey: SigningPublicKey { SigningPublicKey(algorithm, of: key) }

  /// 64 bytes.
  public func sign(_ message: some Collection<UInt8>) -> Bytes {
    let context = unsafe Algorithms.require(EVP_MD_CTX_new(), "a signature")
    defer { unsafe EVP_MD_CTX_free(context) }
    let digest = unsafe algorithm == .p256 ? Algorithms.sha256 : nil
    precondition(unsafe EVP_DigestSignInit(context, nil, digest, nil, key.pointer) == 1, "OpenSSL cannot sign")
    let signature = unsafe message.withBytes { message in
      unsafe Bytes(unsafeUninitializedCapacity: Self.largestDER) { out, count in
        count = Self.largestDER
        let result = unsafe EVP_DigestSign(context, out.baseAddress, &count, message.baseAddress, message.count)
        precondition(result == 1, "OpenSSL cannot sign")
      }
    }
    return algorithm == .p256 ? ECDSASignature.raw(der: signature) : signature
  }

  /// 64 bytes that are the same each time (RFC 6979).
  /// - Throws: `unsupportedKind` for a key that is not on P-256. Those on Ed25519 always sign so.
  public func signDeterministically(_ message: some Collection<UInt8>) throws(KeyError) -> Bytes {
    guard algorithm == .p256 else { throw .unsupportedKind }
    var scalar = key.privateKey
    defer { scalar.wipe() }
    return DeterministicECDSA.sign(message, scalar: scalar)
  }

  /// Two integers of up to 33 bytes with their headers, in a sequence.
  private static let largestDER = 72
}
