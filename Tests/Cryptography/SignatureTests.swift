import Cryptography
import Primitives
import Testing

@Suite struct SignatureTests {
  /// RFC 8032 §7.1, tests 1 (the empty message) and 2.
  @Test func ed25519() throws {
    for (secret, point, message, signature) in [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
      ),
    ] {
      let key = try SigningPrivateKey(.ed25519, rawValue: hex(secret))
      #expect(key.publicKey.rawValue == hex(point))
      #expect(key.sign(hex(message)) == hex(signature))
      #expect(key.publicKey.isValid(signature: hex(signature), for: hex(message)))
    }
  }

  /// RFC 6979 §A.2.5, "sample" with SHA-256.
  @Test func p256() throws {
    let key = try SigningPrivateKey(.p256, rawValue: hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
    let point =
      "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
    let signature = hex(
      "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
    #expect(key.publicKey.rawValue == hex(point))
    #expect(key.publicKey.isValid(signature: signature, for: "sample".utf8))
    #expect(!key.publicKey.isValid(signature: signature, for: "Sample".utf8))
  }

  /// RFC 6979 §A.2.5 with SHA-256.
  @Test func deterministicP256() throws {
    let key = try SigningPrivateKey(.p256, rawValue: hex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
    for (message, signature) in [
      (
        "sample",
        "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
      ),
      (
        "test",
        "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
      ),
    ] {
      #expect(try key.signDeterministically(message.utf8) == hex(signature))
      #expect(key.publicKey.isValid(signature: hex(signature), for: message.utf8))
    }
    #expect(throws: KeyError.unsupportedKind) { try SigningPrivateKey.generate(.ed25519).signDeterministically("test".utf8) }
  }

  @Test func deterministicSignaturesAreGood() throws {
    for round in 0..<300 {
      let key = SigningPrivateKey.generate(.p256)
      let message = Array("message \(round)".utf8)
      let signature = try key.signDeterministically(message)
      #expect(try key.signDeterministically(message) == signature)
      #expect(key.publicKey.isValid(signature: signature, for: message))
      #expect(!key.publicKey.isValid(signature: signature, for: message + [0]))
    }
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .p256])
  func signAndCheck(algorithm: SigningAlgorithm) {
    let key = SigningPrivateKey.generate(algorithm)
    // Often enough for numbers with leading zeros.
    for round in 0..<300 {
      let message = Array("message \(round)".utf8)
      let signature = key.sign(message)
      #expect(signature.count == 64)
      #expect(key.publicKey.isValid(signature: signature, for: message))
      var changed = signature
      changed[round % 64] ^= 1
      #expect(!key.publicKey.isValid(signature: changed, for: message))
    }
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .p256])
  func noSignatures(algorithm: SigningAlgorithm) {
    let key = SigningPrivateKey.generate(algorithm)
    let signature = key.sign("text".utf8)
    for other in [[], Array(signature.dropLast()), signature + [0], Bytes(repeating: 0, count: 64), Bytes(repeating: 255, count: 64)] {
      #expect(!key.publicKey.isValid(signature: other, for: "text".utf8))
    }
    #expect(!SigningPrivateKey.generate(algorithm).publicKey.isValid(signature: signature, for: "text".utf8))
  }

  @Test func providerToken() throws {
    let key = SigningPrivateKey.generate(.p256)
    let token = try JWS.es256(
      header: #"{"alg":"ES256","kid":"ABC123DEFG"}"#.utf8, claims: #"{"iss":"DEF123GHIJ","iat":1764480000}"#.utf8, key: key)
    let parts = token.split(separator: UInt8(ascii: "."))
    #expect(parts.count == 3)
    #expect(Base64.urlSafe.decode(parts[0])?.text == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    let signature = try #require(Base64.urlSafe.decode(parts[2]))
    #expect(key.publicKey.isValid(signature: signature, for: token[..<parts[1].endIndex]))
    #expect(throws: KeyError.unsupportedKind) { try JWS.es256(header: Bytes(), claims: Bytes(), key: .generate(.ed25519)) }
  }
}
