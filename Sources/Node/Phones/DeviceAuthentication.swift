import Cryptography
import HTTP
import PhoneContract
import Primitives
import Store

/// Whether a request was signed by the device that it names (phone contract, "Keys and signatures"; RFC 9421, RFC 9530).
struct DeviceAuthentication {
  /// What a signature says of itself, once it is known to be complete.
  struct Claim {
    let device: DeviceID
    let nonce: Bytes
    let signature: MessageSignature
  }

  /// Everything but the key: shape, coverage, clock, digest of the body.
  static func claim(of request: HTTPRequest, unixNow: Instant) throws(Problem) -> Claim {
    guard let signature = try? MessageSignature(label: Contract.signatureLabel, in: request.fields),
      signature.tag == Contract.signatureTag,
      let device = signature.keyID.flatMap({ DeviceID($0) }), let created = signature.created, let nonce = signature.nonce,
      Contract.isNonce(nonce)
    else { throw Problem(.badSignature) }
    guard abs(unixNow.seconds - created) <= Contract.clockSkew.components.seconds else { throw Problem(.clockSkew) }
    guard coversEnough(signature, of: request), isBodyIntact(request, signature) else { throw Problem(.badSignature) }
    return Claim(device: device, nonce: Array(nonce.utf8), signature: signature)
  }

  private static func coversEnough(_ signature: MessageSignature, of request: HTTPRequest) -> Bool {
    let required = ["@method", "@authority", "@path", "@query"] + (request.fields["idempotency-key"] == nil ? [] : ["idempotency-key"])
    return required.allSatisfy { signature.covers($0) }
  }

  private static func isBodyIntact(_ request: HTTPRequest, _ signature: MessageSignature) -> Bool {
    if request.body.isEmpty, request.fields["content-digest"] == nil { return true }
    return signature.covers("content-digest") && ContentDigest.isValid(request.fields, for: request.body)
  }

  /// The signature itself, by the device's key; `alg`, where it is given, has to fit the key.
  static func verify(_ claim: Claim, of request: HTTPRequest, by key: SigningPublicKey) throws(Problem) {
    let algorithm = key.algorithm == .ed25519 ? "ed25519" : "ecdsa-p256-sha256"
    guard claim.signature.alg ?? algorithm == algorithm, let base = try? claim.signature.base(for: request),
      key.isValid(signature: claim.signature.signature, for: base)
    else { throw Problem(.badSignature) }
  }
}

/// The devices' keys as the cryptography has them: making one costs more than a look-up.
struct KeyRing {
  private var keys: [DeviceKey: SigningPublicKey] = [:]
  private static let most = 20_000

  mutating func key(_ key: DeviceKey) -> SigningPublicKey? {
    if let known = keys[key] { return known }
    guard let made = try? SigningPublicKey(jwk: JWK(kty: key.kty, crv: key.crv, x: key.x, y: key.y)) else { return nil }
    if keys.count >= Self.most { keys.removeAll(keepingCapacity: true) }
    keys[key] = made
    return made
  }
}
