import Cryptography
import HTTP
import Primitives
import Testing

/// Signatures that another implementation made (http-message-signatures 3.0.0 from PyPI, with fixed keys).
@Suite struct OtherSignersTests {
  @Test func ed25519OverARequestWithoutQuery() throws {
    let request = HTTPRequest(
      method: "GET", authority: "127.0.0.1:8443", path: "/v1/setup",
      fields: [
        "Signature-Input":
          "sig=(\"@method\" \"@authority\" \"@path\" \"@query\")"
          + ";created=1764480000;keyid=\"the-key\";alg=\"ed25519\";nonce=\"0123456789abcdef\";tag=\"ringhold-v1\"",
        "Signature": "sig=:ffioVp99f1xN+O8IEFVcCG2Fq+8L2snCxPSxkZkU5uo7rklfjxTreenePRpTIynlM3TpifZpWhQYZeV9i5JkBA==:",
      ])
    let signature = try MessageSignature(label: "sig", in: request.fields)
    #expect(signature.alg == "ed25519")
    let key = try SigningPublicKey(jwk: JWK(kty: "OKP", crv: "Ed25519", x: "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"))
    #expect(key.isValid(signature: signature.signature, for: try signature.base(for: request)))
  }

  @Test func p256OverARequestWithABody() throws {
    let request = HTTPRequest(
      method: "POST", authority: "Plus.Example.net", path: "/v1/lines/1/answer?x=%20y",
      fields: [
        "Content-Digest": "sha-256=:E9gtYE5m10XlkUvLfyXx8RFTW4FS1n4RtkZrf5iWJew=:",
        "Signature-Input":
          "sig=(\"@method\" \"@authority\" \"@path\" \"@query\" \"content-digest\")"
          + ";created=1764480000;keyid=\"the-key\";alg=\"ecdsa-p256-sha256\";nonce=\"0123456789abcdef\";tag=\"ringhold-v1\"",
        "Signature": "sig=:B9sAYLAVo041D5kBwxnMBlQrLVn72nbwek1nPJZr9Bm12kSULQZuMIUTfucB5yVPVnJ+QeAiyKXakeu3GAPdJA==:",
      ], body: Array("{\"sdp\":\"v=0\"}".utf8))
    #expect(ContentDigest.isValid(request.fields, for: request.body))
    let signature = try MessageSignature(label: "sig", in: request.fields)
    let key = try SigningPublicKey(
      jwk: JWK(
        kty: "EC", crv: "P-256", x: "PteijsZI7c5dW34lL2sqr7tEg1EUoks8qo9xD2SZO8I", y: "VxGjTNySKQgLY58Jl3_rfKkezOFkm_6orYXHKyBq3n4"))
    #expect(key.isValid(signature: signature.signature, for: try signature.base(for: request)))
  }
}
