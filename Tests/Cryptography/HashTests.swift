import Cryptography
import Primitives
import Testing

@Suite struct HashTests {
  private let abc = Array("abc".utf8)

  /// RFC 1321 §A.5, FIPS 180-4 examples ("abc" and the empty message).
  @Test func published() {
    #expect(Hex.encode(Hash.md5(abc)) == "900150983cd24fb0d6963f7d28e17f72")
    #expect(Hex.encode(Hash.sha1(abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(Hex.encode(Hash.sha256(abc)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(Hex.encode(Hash.sha512_256(abc)) == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    #expect(Hex.encode(Hash.md5(Bytes())) == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(Hex.encode(Hash.sha256(Bytes())) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func anyCollection() {
    #expect(Hash.sha256("abc".utf8) == Hash.sha256(abc))
    #expect(Hash.sha256(Array("xabcx".utf8)[1..<4]) == Hash.sha256(abc))
    #expect(Hash.sha256(Array("cba".utf8).reversed()) == Hash.sha256(abc))
  }

  /// RFC 4231 §4.2, §4.3 and §4.7 (a key longer than a block).
  @Test func hmac() {
    #expect(
      Hex.encode(hmacSHA256(key: Bytes(repeating: 0x0b, count: 20), "Hi There".utf8))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      Hex.encode(hmacSHA256(key: "Jefe".utf8, "what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      Hex.encode(hmacSHA256(key: Bytes(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(
      Hex.encode(hmacSHA256(key: Bytes(), Bytes())) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }
}

@Suite struct SystemRandomTests {
  @Test func copiesDiffer() {
    var first = SystemRandom()
    _ = first.next()
    var second = first
    let one = (0..<100).map { _ in first.next() }
    let other = (0..<100).map { _ in second.next() }
    #expect(Set(one + other).count == 200)
  }

  @Test func bytes() {
    #expect(SystemRandom.bytes(0).isEmpty)
    #expect(SystemRandom.bytes(32).count == 32)
    #expect(SystemRandom.bytes(32) != SystemRandom.bytes(32))
  }
}
