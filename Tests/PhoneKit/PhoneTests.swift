import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing

@Suite struct PhoneTests {
  @Test(arguments: Phone.KeyKind.allCases) func keysRoundTrip(_ kind: Phone.KeyKind) throws {
    let phone = try Phone.generate(kind)
    let copy = try Phone(exported: phone.exported)
    #expect(copy.id == phone.id)
    #expect(copy.keys == phone.keys)
    #expect(phone.id.utf8.count == 43)
    #expect((phone.keys.seal == nil) == (kind == .p256))
  }

  @Test(arguments: [
    [], [1], [9] + Bytes(repeating: 1, count: 64), [1] + Bytes(repeating: 1, count: 32), [2] + Bytes(repeating: 0, count: 32),
  ])
  func refusesOtherKeys(_ bytes: Bytes) { #expect(throws: PhoneError.unusableKeys) { try Phone(exported: bytes) } }

  @Test(arguments: Phone.KeyKind.allCases) func opensAnnouncements(_ kind: Phone.KeyKind) throws {
    let phone = try Phone.generate(kind)
    let announcement = Announcement.call(at: .ms(5), number: "+4930123456", name: "Ann")
    let seal = phone.keys.sealing
    let key = try SealingPublicKey(jwk: JWK(kty: seal.kty, crv: seal.crv, x: seal.x, y: seal.y))
    var sealed = try HPKE.seal(announcement.padded(), to: key, info: Contract.announcementInfo)
    #expect(try phone.open(sealed) == announcement)
    sealed[sealed.count - 1] ^= 1
    #expect(throws: PhoneError.unusableAnnouncement) { try phone.open(sealed) }
  }

  @Test(arguments: Phone.KeyKind.allCases) func signsAsTheContractAsks(_ kind: Phone.KeyKind) throws {
    let phone = try Phone.generate(kind)
    let request = phone.signed(
      PhoneRequest.fetch(.one, .answer).encoded, authority: "plus.example.net", created: 1_764_480_000, nonce: "0123456789abcdef",
      idempotencyKey: "abcdefgh")
    let signature = try MessageSignature(label: "sig", in: request.fields)
    #expect(signature.components == ["@method", "@authority", "@path", "@query", "content-digest", "idempotency-key"])
    #expect(signature.created == 1_764_480_000)
    #expect(signature.nonce == "0123456789abcdef")
    #expect(signature.keyID == phone.id)
    #expect(signature.tag == "ringhold-v1")
    #expect(ContentDigest.isValid(request.fields, for: request.body))
    let sign = phone.keys.sign
    let key = try SigningPublicKey(jwk: JWK(kty: sign.kty, crv: sign.crv, x: sign.x, y: sign.y))
    #expect(key.thumbprint == phone.id)
    #expect(key.isValid(signature: signature.signature, for: try signature.base(for: request)))
  }

  @Test func aRequestWithoutABodyHasNoDigest() throws {
    let phone = try Phone.generate()
    let request = phone.signed(
      PhoneRequest.status(.two, after: 3, wait: 25).encoded, authority: "a", created: 1, nonce: "0123456789abcdef")
    #expect(request.path == "/v1/lines/2/status?after=3&wait=25")
    #expect(try MessageSignature(label: "sig", in: request.fields).components == ["@method", "@authority", "@path", "@query"])
    #expect(request.fields["content-digest"] == nil)
  }

  /// RFC 7616 §3.9.1.
  @Test func makesHA1() {
    let md5 = CredentialBody(user: "Mufasa", realm: "http-auth@example.org", password: "Circle of Life", algorithm: .md5)
    #expect(md5.ha1 == "3d78807defe7de2157e2b0b6573a855f")
    let sha256 = CredentialBody(user: "Mufasa", realm: "http-auth@example.org", password: "Circle of Life", algorithm: .sha256)
    #expect(sha256.ha1 == "7987c64c30e25f1b74be53f966b49b90f2808aa92faf9a00262392d7b4794232")
    #expect(CredentialBody(user: "a", realm: "b", password: "c", algorithm: .sha512t256).ha1.utf8.count == 64)
  }

  @Test func answersEachChallengeThatItCan() throws {
    let challenges = [("SHA-256", "a"), ("MD5", "a"), ("SHA-256", "a"), ("SHA-1", "a"), ("MD5", "b")].map {
      ChallengeBody(realm: $1, algorithm: $0)
    }
    let credentials = try CredentialBody.answers(to: challenges, user: "u", password: "p", domain: "d")
    #expect(credentials.map(\.algorithm) == [.sha256, .md5, .md5])
    #expect(credentials.map(\.realm) == ["a", "a", "b"])
    #expect(credentials[1] == CredentialBody(user: "u", realm: "a", password: "p", algorithm: .md5))
  }

  @Test func guessesWhereNothingIsAskedAndGivesUpWhereNothingIsKnown() throws {
    let guess = try CredentialBody.answers(to: [], user: "u", password: "p", domain: "d")
    #expect(guess == [CredentialBody(user: "u", realm: "d", password: "p", algorithm: .md5)])
    #expect(throws: PhoneError.noCommonDigest) {
      try CredentialBody.answers(to: [ChallengeBody(realm: "a", algorithm: "SHA-1")], user: "u", password: "p", domain: "d")
    }
  }

  @Test(arguments: [
    (
      PhoneError.problem(.tooManyRequests(retryAfter: 7)),
      "the server says too-many-requests (429): Too many requests; worth another try in 7 s"
    ),
    (.problem(.malformed(at: "/line")), "the server says malformed (400): The request is not as the contract says, at /line"),
    (.transport(.notProcessed(.noConnection(.refused))), "no connection to the server: refused"),
    (
      .transport(.notProcessed(.noConnection(.tls(.certificate(.wrongName))))),
      "no connection to the server: its certificate is for another name"
    ), (.transport(.unknown(.timedOut)), "the server did not answer in time; whether the server did it is not known"),
  ]) func saysWhatWentWrong(_ error: PhoneError, _ line: String) { #expect("\(error)" == line) }
}
