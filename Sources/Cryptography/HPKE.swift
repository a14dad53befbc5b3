public import Primitives

/// RFC 9180 in base mode, single shot, without additional data. The recipient's key decides the suite:
/// X25519 → DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305; P-256 → DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM.
public enum HPKE {
  public enum Failure: Error, Hashable, Sendable {
    /// Shorter than an encapsulated key and a tag, or the key in it is none.
    case malformed
    /// Sealed for another key or another `info`, or changed.
    case notAuthentic
    /// The two keys agree on nothing secret (RFC 9180 §7.1.4).
    case noSharedSecret
  }

  /// enc ‖ ciphertext: longer than the plaintext by 48 bytes (X25519) or 81 (P-256).
  public static func seal(
    _ plaintext: some Collection<UInt8>, to recipient: SealingPublicKey, info: some Collection<UInt8>
  ) throws(Failure) -> Bytes {
    guard let (enc, secret) = KeyAgreement.fresh(with: recipient.key, recipient.algorithm.kind) else { throw .noSharedSecret }
    var dh = consume secret
    defer { dh.wipe() }
    return seal(plaintext, to: recipient, info: info, enc: enc, dh: dh, context: [])
  }

  /// For published vectors.
  /// - Parameters:
  ///   - context: the `aad` of RFC 9180.
  static func seal(
    _ plaintext: some Collection<UInt8>, to recipient: SealingPublicKey, info: some Collection<UInt8>, ephemeral: SealingPrivateKey,
    context: Bytes = []
  ) throws(Failure) -> Bytes {
    var dh = try agree(ephemeral.key, recipient.key)
    defer { dh.wipe() }
    return seal(plaintext, to: recipient, info: info, enc: ephemeral.publicKey.rawValue, dh: dh, context: context)
  }

  private static func seal(
    _ plaintext: some Collection<UInt8>, to recipient: SealingPublicKey, info: some Collection<UInt8>, enc: Bytes, dh: Bytes,
    context: Bytes
  ) -> Bytes {
    let suite = HPKESuite.of(recipient.algorithm)
    var (key, nonce) = suite.schedule(dh: dh, enc: enc, recipient: recipient.rawValue, info: info)
    defer { key.wipe() }
    return suite.aead.seal(plaintext, key: key, nonce: nonce, authenticating: context, after: enc)
  }

  /// What `seal` was given.
  public static func open(
    _ sealed: some Collection<UInt8>, with recipient: SealingPrivateKey, info: some Collection<UInt8>
  ) throws(Failure) -> Bytes {
    try open(sealed, with: recipient, info: info, context: [])
  }

  static func open(
    _ sealed: some Collection<UInt8>, with recipient: SealingPrivateKey, info: some Collection<UInt8>, context: Bytes
  ) throws(Failure) -> Bytes {
    let suite = HPKESuite.of(recipient.algorithm)
    let sealed = Array(sealed)
    guard sealed.count >= suite.encSize + AEAD.tagSize else { throw .malformed }
    let enc = Array(sealed[..<suite.encSize])
    guard let sender = try? SealingPublicKey(recipient.algorithm, rawValue: enc) else { throw .malformed }
    var dh = try agree(recipient.key, sender.key)
    defer { dh.wipe() }
    var (key, nonce) = suite.schedule(dh: dh, enc: enc, recipient: recipient.publicKey.rawValue, info: info)
    defer { key.wipe() }
    let ciphertext = sealed[suite.encSize...]
    guard let plaintext = suite.aead.open(ciphertext, key: key, nonce: nonce, authenticating: context) else { throw .notAuthentic }
    return plaintext
  }

  private static func agree(_ mine: Key, _ theirs: Key) throws(Failure) -> Bytes {
    guard let secret = KeyAgreement.secret(mine, theirs) else { throw .noSharedSecret }
    return secret
  }
}
