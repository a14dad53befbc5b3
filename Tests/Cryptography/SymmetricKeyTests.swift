import Primitives
import Testing

@testable import Cryptography

@Suite struct SymmetricKeyTests {
  private let context = Array("account".utf8)

  @Test func roundTrip() throws {
    let key = try #require(SymmetricKey(SystemRandom.bytes(32)))
    for size in [0, 1, 32, 1000] {
      let plaintext = Bytes(repeating: 7, count: size)
      let sealed = key.seal(plaintext, context: context)
      #expect(sealed.count == size + 28)
      #expect(sealed != key.seal(plaintext, context: context))
      #expect(key.open(sealed, context: context) == plaintext)
    }
  }

  @Test func refusals() throws {
    let key = try #require(SymmetricKey(Bytes(repeating: 1, count: 32)))
    let other = try #require(SymmetricKey(Bytes(repeating: 2, count: 32)))
    let sealed = key.seal("secret".utf8, context: context)
    #expect(other.open(sealed, context: context) == nil)
    #expect(key.open(sealed, context: Bytes()) == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x80
      #expect(key.open(changed, context: context) == nil)
      #expect(key.open(sealed[..<index], context: context) == nil)
    }
    #expect(SymmetricKey(Bytes(repeating: 1, count: 31)) == nil)
  }

  /// The GCM specification's test case 14 (McGrew and Viega).
  @Test func published() {
    let sealed = AEAD.aes256GCM.seal(
      Bytes(repeating: 0, count: 16), key: Bytes(repeating: 0, count: 32), nonce: Bytes(repeating: 0, count: 12),
      authenticating: Bytes())
    #expect(Hex.encode(sealed) == "cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919")
  }

  @Test func constantTime() {
    #expect(isEqualInConstantTime(Bytes(), Bytes()))
    #expect(isEqualInConstantTime("abc".utf8, Array("abc".utf8)))
    #expect(!isEqualInConstantTime("abc".utf8, "abd".utf8))
    #expect(!isEqualInConstantTime("abc".utf8, "ab".utf8))
  }
}
