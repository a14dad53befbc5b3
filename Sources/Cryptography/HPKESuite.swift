import Primitives

/// The three algorithms of an HPKE message and their key schedule (RFC 9180 §4.1 and §5.1).
struct HPKESuite: Sendable {
  let encSize: Int
  let aead: AEAD
  /// The `suite_id` of the key encapsulation and of the whole.
  private let kemLabel: Bytes
  private let label: Bytes
  /// Base mode has no pre-shared key, so this part of the context is always the same.
  private let contextStart: Bytes

  static let x25519 = HPKESuite(kem: 0x20, encSize: 32, aead: .chaCha20Poly1305)
  static let p256 = HPKESuite(kem: 0x10, encSize: 65, aead: .aes256GCM)

  static func of(_ algorithm: SealingAlgorithm) -> HPKESuite { algorithm == .x25519 ? x25519 : p256 }

  private init(kem: UInt8, encSize: Int, aead: AEAD) {
    self.encSize = encSize
    self.aead = aead
    kemLabel = Array("HPKE-v1KEM".utf8) + [0, kem]
    // HKDF-SHA256 is number 1 (RFC 9180 §7.2).
    label = Array("HPKE-v1HPKE".utf8) + [0, kem, 0, 1, 0, UInt8(aead.rawValue)]
    contextStart = [0] + Self.extract(salt: [], label, "psk_id_hash", Bytes())
  }

  /// From the Diffie-Hellman secret to the key and the nonce of the first message. The key is a secret: the caller wipes it.
  func schedule(dh: Bytes, enc: Bytes, recipient: Bytes, info: some Collection<UInt8>) -> (key: Bytes, nonce: Bytes) {
    var shared = sharedSecret(dh: dh, context: enc + recipient)
    var secret = Self.extract(salt: shared, label, "secret", Bytes())
    defer {
      shared.wipe()
      secret.wipe()
    }
    let context = contextStart + Self.extract(salt: [], label, "info_hash", info)
    let key = Self.expand(secret, label, "key", context, count: AEAD.keySize)
    return (key, Self.expand(secret, label, "base_nonce", context, count: AEAD.nonceSize))
  }

  /// RFC 9180 §4.1 ExtractAndExpand.
  private func sharedSecret(dh: Bytes, context: Bytes) -> Bytes {
    var pseudorandom = Self.extract(salt: [], kemLabel, "eae_prk", dh)
    defer { pseudorandom.wipe() }
    return Self.expand(pseudorandom, kemLabel, "shared_secret", context, count: HMAC.size)
  }

  /// RFC 9180 §4 LabeledExtract. `suite` starts with the version.
  private static func extract(salt: Bytes, _ suite: Bytes, _ label: String, _ input: some Collection<UInt8>) -> Bytes {
    unsafe HMAC.compute(key: salt) { context in
      unsafe HMAC.update(context, suite)
      unsafe HMAC.update(context, label.utf8)
      unsafe HMAC.update(context, input)
    }
  }

  /// RFC 9180 §4 LabeledExpand, for up to one block (RFC 5869 §2.3 with N = 1): nothing here is longer.
  private static func expand(_ secret: Bytes, _ suite: Bytes, _ label: String, _ info: Bytes, count: Int) -> Bytes {
    precondition(count <= HMAC.size, "one block holds \(HMAC.size) bytes")
    let block = unsafe HMAC.compute(key: secret) { context in
      unsafe HMAC.update(context, [0, UInt8(count)] + suite)
      unsafe HMAC.update(context, label.utf8)
      unsafe HMAC.update(context, info + [1])
    }
    return count == block.count ? block : Array(block.prefix(count))
  }
}
