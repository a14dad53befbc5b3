import Foundation
import Primitives
import Testing

@testable import SIP

struct DigestTests {
  struct Vector: Decodable, CustomTestStringConvertible {
    var id, username, realm, nonce, method, uri, response, ha1: String
    var opaque, qop, nc, cnonce, algorithm, body: String?

    var testDescription: String { id }

    static func all() throws -> [Vector] {
      struct File: Decodable { var vectors: [Vector] }
      return try JSONDecoder().decode(File.self, from: Data(try Samples.bytes("digest/digest-vectors.json"))).vectors
    }

    /// The header field value that poses this vector.
    var challenge: String {
      func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
      }
      var value = "Digest realm=\(quoted(realm)), nonce=\(quoted(nonce))"
      if let opaque { value += ", opaque=\(quoted(opaque))" }
      if let algorithm { value += ", algorithm=\(algorithm)" }
      if let qop { value += ", qop=\(quoted(qop))" }
      return value
    }
  }

  @Test(arguments: try Vector.all())
  func vector(_ vector: Vector) throws {
    let challenge = try #require(DigestChallenge.parse(slice(vector.challenge), isProxy: false).first)
    let credential = try #require(
      DigestCredential(realm: Bytes(vector.realm.utf8), algorithm: challenge.algorithm, ha1: vector.ha1.utf8))
    let choice = try #require(Digest.choose(from: [challenge], with: [credential]).first)
    var session = DigestSession(choice, username: Bytes(vector.username.utf8), cnonce: Bytes((vector.cnonce ?? "unused").utf8))
    let count = Int(vector.nc ?? "1", radix: 16) ?? 1
    var value = Bytes()
    for _ in 0..<count {
      value = session.authorization(method: Method(vector.method.utf8), uri: vector.uri.utf8, body: (vector.body ?? "").utf8)
    }
    let answer = ChallengeReader.parameters(of: value.dropFirst(7))
    #expect(answer.parameter("response")?.text == vector.response)
    #expect(answer.parameter("username")?.text == vector.username)
    #expect(answer.parameter("realm")?.text == vector.realm)
    #expect(answer.parameter("opaque")?.text == vector.opaque)
    #expect(answer.parameter("nc")?.text == vector.nc)
    #expect(answer.parameter("qop")?.text == vector.qop)
    #expect(answer.parameter("algorithm")?.text == vector.algorithm)
  }

  private func credential(_ realm: String, _ algorithm: DigestAlgorithm) -> DigestCredential? {
    DigestCredential(realm: Bytes(realm.utf8), algorithm: algorithm, ha1: Bytes(repeating: 0x61, count: algorithm.length * 2))
  }

  @Test func theStrongestThatHasACredentialInWhateverOrder() throws {
    let challenges = ["MD5", "SHA-512-256", "SHA-256"].flatMap {
      DigestChallenge.parse(slice("Digest realm=\"r\", nonce=\"n\", algorithm=\($0)"), isProxy: false)
    }
    let all = DigestAlgorithm.allCases.compactMap { credential("r", $0) }
    #expect(Digest.choose(from: challenges, with: all).map(\.challenge.algorithm) == [.sha512to256])
    #expect(Digest.choose(from: challenges.reversed(), with: [all[0], all[1]]).map(\.challenge.algorithm) == [.sha256])
    #expect(Digest.choose(from: challenges, with: [all[0]]).map(\.challenge.algorithm) == [.md5])
    #expect(Digest.choose(from: challenges, with: [try #require(credential("R", .md5))]).isEmpty)
  }

  @Test func severalRealmsAreAnsweredEach() throws {
    let response = try Samples.request(message("OPTIONS sip:a SIP/2.0\nVia: SIP/2.0/UDP a;branch=z9hG4bKa\n\n"))
    let both = Trace.response(
      401, to: response,
      more: "WWW-Authenticate: Digest realm=\"a\",nonce=\"1\"\nProxy-Authenticate: Digest realm=\"b\",nonce=\"2\"")
    let choices = Digest.choose(
      from: DigestChallenge.all(in: both), with: [credential("a", .md5), credential("b", .md5)].compactMap(\.self))
    #expect(choices.map(\.challenge.isProxy) == [false, true])
  }

  @Test(
    arguments: [
      "Digest realm=\"r\",nonce=\"n\"", "DIGEST REALM=\"r\" , NONCE = \"n\"", "Digest realm=\"r\" nonce=\"n\"", "Digest realm=r, nonce=n",
      "Digest ,,realm=\"r\",,nonce=\"n\",", "Basic realm=\"x\", Digest nonce=\"n\", realm=\"r\"", "NTLM, Digest realm=r,nonce=n,qop=\"\"",
      "Digest realm=\"r\", nonce=\"n\", algorithm=\"MD5\", stale=\"FALSE\"",
      "Digest realm=\"r\",nonce=\"n\",algorithm=md5,qop=\"auth-conf, AUTH\"",
      "Digest realm=\"r\\\"", "Digest realm=\"x\", nonce=\"y\", algorithm=MD2, Digest realm=\"r\",nonce=\"n\"",
    ])
  func oddQuoting(_ value: String) {
    let read = DigestChallenge.parse(slice(value), isProxy: false)
    guard value != "Digest realm=\"r\\\"" else { return #expect(read.isEmpty) }
    #expect(read.count == 1)
    #expect(read.first?.realm.text == "r" && read.first?.nonce.text == "n" && read.first?.algorithm == .md5 && read.first?.isStale == false)
  }

  @Test func anythingIsRead() {
    var random = SeededRandom(seed: 5)
    let pieces = ["Digest ", "realm=", "\"", "\\", "=", ",", " ", "nonce", "qop=\"auth\"", "algorithm=MD5-sess", "\u{0}", "é"]
    for _ in 0..<2000 {
      let text = (0..<12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      for challenge in DigestChallenge.parse(slice(text), isProxy: false) { #expect(challenge.algorithm == .md5) }
    }
  }

  @Test func manyChallengesAreCut() {
    let many = String(repeating: "Digest realm=\"r\", nonce=\"n\", ", count: 5000)
    #expect(DigestChallenge.parse(slice(many), isProxy: false).count <= DigestChallenge.limit + 1)
  }

  @Test func nonceCountsAndStartsAnewWithTheNextNonce() throws {
    let challenge = try #require(DigestChallenge.parse(slice("Digest realm=\"r\",nonce=\"n\",qop=\"auth\""), isProxy: true).first)
    var session = DigestSession(
      .init(challenge: challenge, credential: try #require(credential("r", .md5))), username: [65], cnonce: [66])
    #expect(session.header == .proxyAuthorization)
    #expect(session.authorization(method: .register, uri: [65]).contains(subsequence: "nc=00000001"))
    #expect(session.authorization(method: .register, uri: [65]).contains(subsequence: "nc=00000002"))
    session.renew(nonce: [78], cnonce: [67])
    let renewed = session.authorization(method: .register, uri: [65])
    #expect(renewed.contains(subsequence: "nc=00000001") && renewed.contains(subsequence: "nonce=\"N\", "))
  }

  @Test func credentialsAreHashesAndSaySo() throws {
    #expect(DigestCredential(realm: [], algorithm: .sha256, ha1: Bytes(repeating: 0x61, count: 32)) == nil)
    #expect(DigestCredential(realm: [], algorithm: .md5, ha1: Bytes("password".utf8)) == nil)
    var dumped = ""
    dump(try #require(credential("r", .md5)), to: &dumped)
    #expect(!dumped.contains("97") && !String(describing: credential("r", .md5)).contains("97"))
  }
}
