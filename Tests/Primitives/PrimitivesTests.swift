import Primitives
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 §10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func vectors(plain: String, encoded: String) {
    #expect(Base64.standard.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.standard.decode(encoded) == Array(plain.utf8))
  }

  @Test(arguments: ["Zg", "Zg=", "Zh==", "Z", "Zm9 v", "Zg==Zg=="])
  func refusesWhatIsNotCanonical(text: String) {
    #expect(Base64.standard.decode(text) == nil)
  }

  @Test func urlSafeHasNoPadding() {
    #expect(Base64.urlSafe.encode([0xFB, 0xFF]) == "-_8")
    #expect(Base64.urlSafe.decode("-_8") == [0xFB, 0xFF])
    #expect(Base64.urlSafe.decode("-_8=") == nil)
  }
}

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("2001:DB8::1", "2001:db8::1"), ("::", "::"), ("::1", "::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
    ("::ffff:192.0.2.1", "192.0.2.1"), ("fe80::1:2", "fe80::1:2"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
  ])
  func addresses(text: String, canonical: String) {
    #expect(IPAddress(text)?.text == canonical)
  }

  @Test(arguments: ["", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7", "::1.2.3", "g::"])
  func refuses(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func ports() {
    #expect(SocketAddress("[::1]:5060")?.text == "[::1]:5060")
    #expect(SocketAddress("127.0.0.1:5060")?.port == 5060)
    #expect(SocketAddress("::1:5060") == nil)
    #expect(SocketAddress("127.0.0.1:65536") == nil)
  }

  @Test func ranges() throws {
    let range = try #require(AddressRange("127.0.0.0/8"))
    #expect(range.contains(.loopbackIPv4))
    #expect(!range.contains(try #require(IPAddress("128.0.0.1"))))
    #expect(try #require(AddressRange("fc00::/7")).contains(try #require(IPAddress("fdff::1"))))
    #expect(AddressRange("127.0.0.0/33") == nil)
  }
}

@Suite struct SeededRandomTests {
  @Test func sameSeedSameStory() {
    var one = SeededRandom(seed: 7)
    var two = SeededRandom(seed: 7)
    #expect(one.token(22) == two.token(22))
    #expect(one.next() != one.next())
  }
}
