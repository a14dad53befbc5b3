import Cryptography
import HTTP
import Primitives
import Testing

/// RFC 9421 Appendix B.2; those with RSA-PSS are checked as far as their base.
@Suite struct MessageSignatureTests {
  static let request = HTTPRequest(
    method: "POST", authority: "example.com", path: "/foo?param=Value&Pet=dog",
    fields: [
      "Host": "example.com", "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
      "Content-Digest": "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
      "Content-Length": "18",
    ], body: Array("{\"hello\": \"world\"}".utf8))

  static func signed(_ input: String, _ signature: String = "::") -> HTTPRequest {
    var request = Self.request
    request.fields.append("Signature-Input", "sig=" + input)
    request.fields.append("Signature", "sig=" + signature)
    return request
  }

  static func base(_ input: String) throws -> String {
    let request = signed(input)
    return try MessageSignature(label: "sig", in: request.fields).base(for: request).text
  }

  @Test func minimal() throws {
    let parameters = "();created=1618884473;keyid=\"test-key-rsa-pss\";nonce=\"b3k2pp5k7z-50gnwp.yemd\""
    #expect(try Self.base(parameters) == "\"@signature-params\": " + parameters)
  }

  @Test func full() throws {
    let input =
      "(\"date\" \"@method\" \"@path\" \"@query\" \"@authority\" \"content-type\" \"content-digest\" \"content-length\")"
      + ";created=1618884473;keyid=\"test-key-rsa-pss\""
    #expect(
      try Self.base(input) == """
        "date": Tue, 20 Apr 2021 02:07:55 GMT
        "@method": POST
        "@path": /foo
        "@query": ?param=Value&Pet=dog
        "@authority": example.com
        "content-type": application/json
        "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:
        "content-length": 18
        "@signature-params": \(input)
        """)
  }

  @Test func sharedSecret() throws {
    let request = Self.signed(
      "(\"date\" \"@authority\" \"content-type\");created=1618884473;keyid=\"test-shared-secret\"",
      ":pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    let signature = try MessageSignature(label: "sig", in: request.fields)
    let secret = try #require(
      Base64.standard.decode("uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="))
    #expect(hmacSHA256(key: secret, try signature.base(for: request)) == signature.signature)
  }

  @Test func ed25519() throws {
    let input =
      "(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\");created=1618884473;keyid=\"test-key-ed25519\""
    let request = Self.signed(
      input, ":wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:")
    let signature = try MessageSignature(label: "sig", in: request.fields)
    let key = try SigningPublicKey(jwk: JWK(kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"))
    #expect(key.isValid(signature: signature.signature, for: try signature.base(for: request)))
    var other = request
    other.path = "/fooo"
    #expect(!key.isValid(signature: signature.signature, for: try signature.base(for: other)))
  }

  @Test func ecdsaOverAResponse() throws {
    let input = "(\"@status\" \"content-type\" \"content-digest\" \"content-length\");created=1618884473;keyid=\"test-key-ecc-p256\""
    let digest = "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
    let response = HTTPResponse(
      status: 200,
      fields: [
        "Content-Type": "application/json", "Content-Digest": digest, "Content-Length": "23", "Signature-Input": "sig=" + input,
        "Signature": "sig=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:",
      ])
    let signature = try MessageSignature(label: "sig", in: response.fields)
    let base = try signature.base(for: response).text
    #expect(
      base == "\"@status\": 200\n\"content-type\": application/json\n\"content-digest\": \(digest)\n\"content-length\": 23\n"
        + "\"@signature-params\": " + input)
    let key = try SigningPublicKey(
      jwk: JWK(
        kty: "EC", crv: "P-256", x: "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA", y: "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0"))
    #expect(key.isValid(signature: signature.signature, for: Array(base.utf8)))
  }

  @Test func derivesComponents() throws {
    var request = HTTPRequest(method: "GET", authority: "Example.COM:443", path: "/a%2Fb")
    request.fields.append("x", " 1 ")
    request.fields.append("X", "2")
    let names = ["@authority", "@path", "@query", "@target-uri", "@scheme", "@request-target", "x"]
    let base = try MessageSignature(covering: names, parameters: .init()).base(for: request).text
    #expect(
      base.split(separator: "\n").dropLast().map { $0.split(separator: " ", maxSplits: 1)[1] }
        == ["example.com", "/a%2Fb", "?", "https://Example.COM:443/a%2Fb", "https", "/a%2Fb", "1, 2"])
  }

  @Test(arguments: [
    ("(\"@method\" \"@method\")", MessageSignature.Flaw.duplicateComponent), ("(\"@query-param\";name=\"Pet\")", .unsupportedComponent),
    ("(\"date\";bs)", .unsupportedComponent), ("(\"@what\")", .unsupportedComponent), ("(\"@status\")", .unsupportedComponent),
    ("(\"@signature-params\")", .unsupportedComponent), ("(\"Date\")", .unsupportedComponent), ("(\"x-absent\")", .absentComponent),
    ("(date)", .malformed), ("\"date\"", .malformed), ("(\"date\"", .malformed),
  ])
  func refuses(_ input: String, _ flaw: MessageSignature.Flaw) {
    #expect(throws: flaw) { try Self.base(input) }
  }

  @Test func wantsBothFields() {
    #expect(throws: MessageSignature.Flaw.missing) { try MessageSignature(label: "sig", in: Self.request.fields) }
    #expect(throws: MessageSignature.Flaw.missing) { try MessageSignature(label: "sig2", in: Self.signed("()").fields) }
  }

  @Test func whatIsWrittenIsRead() throws {
    var parameters = StructuredField.Parameters()
    parameters.set("created", to: .integer(1))
    parameters.set("nonce", to: .string("a\"b"))
    parameters.set("keyid", to: .string("k"))
    parameters.set("tag", to: .string("ringhold-v1"))
    var signature = MessageSignature(covering: ["@method", "content-digest"], parameters: parameters)
    signature.signature = [1, 2, 3]
    var fields = HTTPFields()
    signature.write(label: "sig", to: &fields)
    let read = try MessageSignature(label: "sig", in: fields)
    #expect(read == signature)
    #expect(read.created == 1)
    #expect(read.nonce == "a\"b")
    #expect(read.keyID == "k")
    #expect(read.tag == "ringhold-v1")
    #expect(read.covers("@method"))
  }

  /// RFC 9530 Appendix D: the body of its examples.
  @Test func contentDigest() {
    let body = Array("{\"hello\": \"world\"}\n".utf8)
    let value = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
    #expect(ContentDigest.value(for: body) == value)
    #expect(ContentDigest.isValid(["content-digest": "sha-512=:AAAA:, " + value], for: body))
    #expect(!ContentDigest.isValid(["content-digest": value], for: [1]))
    #expect(!ContentDigest.isValid(["content-digest": "sha-512=:AAAA:"], for: body))
    #expect(!ContentDigest.isValid(["content-digest": "sha-256=RK"], for: body))
    #expect(!ContentDigest.isValid([:], for: body))
  }
}
