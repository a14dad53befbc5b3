import Primitives
import Testing

@testable import Cryptography

@Suite struct HPKETests {
  private static let info = Array("ringhold-v1 announcement".utf8)

  /// RFC 9180 §A.2 and §A.3 with AES-256-GCM: the two suites of the contract.
  @Test func published() throws {
    let file: HPKEVectors = try vectors("rfc9180-base-reduced")
    let ours = file.vectors.filter { [[32, 3], [16, 2]].contains([$0.kemId, $0.aeadId]) }
    #expect(ours.count == 2)
    for vector in ours {
      let algorithm: SealingAlgorithm = vector.kemId == 32 ? .x25519 : .p256
      let recipient = try SealingPrivateKey(algorithm, rawValue: hex(vector.skRm))
      #expect(recipient.publicKey.rawValue == hex(vector.pkRm))
      let ephemeral = try SealingPrivateKey(algorithm, rawValue: hex(vector.skEm))
      let first = try #require(vector.encryptions.first { $0.seq == 0 })
      let sealed = try HPKE.seal(
        hex(first.pt), to: recipient.publicKey, info: hex(vector.info), ephemeral: ephemeral, context: hex(first.aad))
      #expect(sealed == hex(vector.enc) + hex(first.ct))
      #expect(try HPKE.open(sealed, with: recipient, info: hex(vector.info), context: hex(first.aad)) == hex(first.pt))
    }
  }

  @Test(arguments: [SealingAlgorithm.x25519, .p256])
  func roundTrip(algorithm: SealingAlgorithm) throws {
    let recipient = SealingPrivateKey.generate(algorithm)
    for size in [0, 1, 512] {
      let plaintext = Bytes(repeating: 0x20, count: size)
      let sealed = try HPKE.seal(plaintext, to: try SealingPublicKey(jwk: recipient.publicKey.jwk), info: Self.info)
      #expect(sealed.count == size + (algorithm == .x25519 ? 48 : 81))
      #expect(try HPKE.open(sealed, with: recipient, info: Self.info) == plaintext)
      let again = try SealingPrivateKey(algorithm, rawValue: recipient.rawValue)
      #expect(try HPKE.open(sealed, with: again, info: Self.info) == plaintext)
    }
  }

  @Test(arguments: [SealingAlgorithm.x25519, .p256])
  func refusals(algorithm: SealingAlgorithm) throws {
    let recipient = SealingPrivateKey.generate(algorithm)
    let sealed = try HPKE.seal("secret".utf8, to: recipient.publicKey, info: Self.info)
    #expect(throws: HPKE.Failure.notAuthentic) { try HPKE.open(sealed, with: .generate(algorithm), info: Self.info) }
    #expect(throws: HPKE.Failure.notAuthentic) { try HPKE.open(sealed, with: recipient, info: Bytes()) }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: HPKE.Failure.self) { try HPKE.open(changed, with: recipient, info: Self.info) }
      #expect(throws: HPKE.Failure.self) { try HPKE.open(sealed[..<index], with: recipient, info: Self.info) }
    }
  }

  @Test func badX25519Keys() throws {
    let file: BadKeys = try vectors("x25519-bad-public-keys")
    #expect(file.tests.count == 44)
    for test in file.tests {
      #expect(throws: KeyError.self, "\(test.tcId) \(test.comment)") {
        try SealingPublicKey(.x25519, rawValue: hex(test.public))
      }
    }
  }

  /// Even a key that slipped through must not lead to a secret that everybody knows.
  @Test func allZeroSecret() throws {
    let file: BadKeys = try vectors("x25519-bad-public-keys")
    for test in file.tests where test.flags.contains("ZeroSharedSecret") {
      let theirs = try #require(Key.unchecked(.x25519, publicKey: hex(test.public)))
      #expect(KeyAgreement.secret(try Key.importing(.x25519, privateKey: hex(test.private)), theirs) == nil)
    }
  }

  @Test func badP256Keys() throws {
    let file: BadKeys = try vectors("p256-bad-public-keys")
    #expect(file.tests.count == 25)
    for test in file.tests {
      #expect(throws: KeyError.self, "\(test.tcId) \(test.comment)") {
        try SealingPublicKey(.p256, rawValue: hex(test.public))
      }
      let point = hex(test.public)
      guard point.count == 65 else { continue }
      #expect(throws: KeyError.notOnCurve) { try SigningPublicKey(jwk: JWK(point: point)) }
    }
  }
}
