public import Primitives

/// AES-256-GCM under one 32-byte key, for what is stored. Random nonces: at most 2^32 messages under one key (NIST SP 800-38D §8.3).
public final class SymmetricKey: Sendable {
  public static let size = AEAD.keySize

  private let secret: Secret

  /// nil unless there are 32 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.size else { return nil }
    secret = Secret(Array(bytes))
  }

  /// nonce ‖ ciphertext ‖ tag: 28 bytes more than the plaintext.
  /// - Parameter context: not stored, but needed to open it: what the plaintext belongs to.
  public func seal(_ plaintext: some Collection<UInt8>, context: some Collection<UInt8>) -> Bytes {
    let nonce = SystemRandom.bytes(AEAD.nonceSize)
    return AEAD.aes256GCM.seal(plaintext, key: secret.bytes, nonce: nonce, authenticating: context, after: nonce)
  }

  /// nil where it was not sealed under this key for this context, or was changed.
  public func open(_ sealed: some Collection<UInt8>, context: some Collection<UInt8>) -> Bytes? {
    let sealed = Array(sealed)
    guard sealed.count >= AEAD.nonceSize else { return nil }
    let nonce = Array(sealed[..<AEAD.nonceSize])
    return AEAD.aes256GCM.open(sealed[AEAD.nonceSize...], key: secret.bytes, nonce: nonce, authenticating: context)
  }
}
