import Cryptography
import Primitives
import Testing

@Suite struct KeyTests {
  /// RFC 8037 §A.3: the thumbprint of RFC 7638 for this key.
  @Test func thumbprint() throws {
    let key = try SigningPublicKey(jwk: JWK(kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    #expect(key.thumbprint == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
  }

  @Test(arguments: [
    JWK(kty: "RSA", crv: "", x: ""), JWK(kty: "EC", crv: "P-384", x: "AA", y: "AA"), JWK(kty: "OKP", crv: "X25519", x: "AA"),
  ])
  func unsupported(jwk: JWK) {
    #expect(throws: KeyError.unsupportedKind) { try SigningPublicKey(jwk: jwk) }
  }

  @Test func coordinates() throws {
    let good = SigningPrivateKey.generate(.p256).publicKey.jwk
    #expect(try SigningPublicKey(jwk: good).jwk == good)
    for x in ["", good.x + "=", String(good.x.dropLast()), good.x + "A", String(good.x.dropLast()) + "+"] {
      #expect(throws: KeyError.unusableCoordinate) { try SigningPublicKey(jwk: JWK(kty: "EC", crv: "P-256", x: x, y: good.y)) }
    }
    #expect(throws: KeyError.unusableCoordinate) { try SigningPublicKey(jwk: JWK(kty: "EC", crv: "P-256", x: good.x)) }
  }

  @Test(arguments: [SigningAlgorithm.ed25519, .p256])
  func exportAndImport(algorithm: SigningAlgorithm) throws {
    for _ in 0..<20 {
      let key = SigningPrivateKey.generate(algorithm)
      let again = try SigningPrivateKey(algorithm, rawValue: key.rawValue)
      #expect(again.publicKey == key.publicKey)
      #expect(try SigningPublicKey(jwk: key.publicKey.jwk) == key.publicKey)
    }
  }

  @Test(arguments: [String(repeating: "00", count: 32), String(repeating: "ff", count: 32), "01"])
  func scalarsOutOfRange(digits: String) {
    #expect(throws: KeyError.unusablePrivateKey) { try SigningPrivateKey(.p256, rawValue: hex(digits)) }
  }

  /// One P-256 key may sign and seal.
  @Test func sharedKey() throws {
    let signing = SigningPrivateKey.generate(.p256)
    let sealing = try SealingPrivateKey(.p256, rawValue: signing.rawValue)
    let sealed = try HPKE.seal("text".utf8, to: try SealingPublicKey(jwk: signing.publicKey.jwk), info: Bytes())
    #expect(try HPKE.open(sealed, with: sealing, info: Bytes()) == Array("text".utf8))
  }

  /// y = 2 is on no point; p, p + 2 and the like are written too large; the rest has an order of 8 or less.
  @Test func badEd25519Keys() {
    let zeros = String(repeating: "00", count: 31)
    let high = String(repeating: "ff", count: 30) + "7f"
    for digits in ["02" + zeros, "ed" + high, "ef" + high, "ff" + high, "f0" + String(high.dropLast(2)) + "ff"] {
      #expect(throws: KeyError.notOnCurve) { try SigningPublicKey(.ed25519, rawValue: hex(digits)) }
    }
    for digits in [
      "00" + zeros, "01" + zeros, "ec" + high, "00" + String(zeros.dropLast(2)) + "80",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ] {
      #expect(throws: KeyError.lowOrder) { try SigningPublicKey(.ed25519, rawValue: hex(digits)) }
    }
  }

  @Test func files() throws {
    let (certificate, pem) = try SelfSignedCertificate.make(names: ["a.example"], addresses: [])
    let key = try SigningPrivateKey(pem: pem)
    #expect(key.algorithm == .p256)
    #expect(key.publicKey.isValid(signature: key.sign("text".utf8), for: "text".utf8))
    #expect(throws: KeyError.unusablePEM) { try SigningPrivateKey(pem: certificate) }
    #expect(throws: KeyError.unusablePEM) { try SigningPrivateKey(pem: []) }
    // RFC 8410 §10.3
    let ed25519 = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
      -----END PRIVATE KEY-----
      """
    #expect(
      try SigningPrivateKey(pem: Array(ed25519.utf8)).publicKey.jwk.x
        == Base64.urlSafe.encode(hex("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1")))
  }
}
