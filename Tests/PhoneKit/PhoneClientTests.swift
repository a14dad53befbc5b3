import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing

/// A phone against a server that plays one reply after the other.
@LoopActor
@Suite(.serialized) struct PhoneClientTests {
  /// What a played server does with one request.
  enum Turn {
    case reply(HTTPResponse)
    /// Ends the connection without a reply.
    case lose
  }

  @LoopActor final class Played {
    var turns: [Turn]
    var requests: [HTTPRequest] = []
    var server: HTTPServer?
    let certificatePEM: Bytes

    init(_ turns: [Turn]) throws {
      self.turns = turns
      let (certificate, key) = try SelfSignedCertificate.make(names: ["plus.example.net"], addresses: [])
      certificatePEM = certificate
      let tls = try TLSContext.server(certificatePEM: certificate, keyPEM: key, alpn: ["h2", "http/1.1"])
      server = try HTTPServer(listen: SocketAddress(ip: .loopbackIPv4, port: 0), tls: tls) { [weak self] in self?.play($0, $1) }
    }

    private func play(_ request: HTTPRequest, _ exchange: HTTPExchange) {
      requests.append(request)
      switch turns.isEmpty ? .lose : turns.removeFirst() {
      case .reply(let response): exchange.respond(response)
      case .lose:
        // A part of a response and then nothing: the phone does not know what happened.
        exchange.sendHeaders(HTTPResponse(status: 200))
        Loop.soon { [self] in server?.abortConnections() }
      }
    }

    func phone() throws -> PhoneClient {
      let address = server?.local ?? SocketAddress(ip: .loopbackIPv4, port: 0)
      return try PhoneClient(
        phone: try Phone.generate(), server: "https://plus.example.net:\(address.port)", trustedPEM: certificatePEM, address: address)
    }

    func end(_ phone: PhoneClient) async {
      phone.close()
      await server?.stop(within: .seconds(1))
    }
  }

  private func json(_ text: String, _ status: Int = 200, _ fields: HTTPFields = [:]) -> Turn {
    .reply(HTTPResponse(status: status, fields: fields, body: Array(text.utf8)))
  }

  @Test func playsACall() async throws {
    let played = try Played([
      json(#"{"line":1,"offer":"v=0"}"#), json(#"{"sdp":null}"#),
      json(#"{"next":1,"events":[{"seq":1,"type":"ended","why":"hung-up"}]}"#), .reply(HTTPResponse(status: 204)),
    ])
    let phone = try played.phone()
    #expect(try await phone.fetch(on: .one) == FetchReply(line: .one, offer: "v=0"))
    #expect(try await phone.answer("v=0", on: .one) == AnswerReply(sdp: nil))
    #expect(try await phone.status(of: .one, after: 0).events.map(\.type) == ["ended"])
    try await phone.hangUp(.one)
    #expect(
      played.requests.map { $0.method + " " + $0.path } == [
        "POST /v1/calls/fetch", "POST /v1/lines/1/answer", "GET /v1/lines/1/status?after=0&wait=25", "POST /v1/lines/1/hangup",
      ])
    let keys = played.requests.map { $0.fields["idempotency-key"] }
    #expect(keys[2] == nil)
    #expect(Set(keys.compactMap(\.self)).count == 3)
    for request in played.requests { #expect(try isSigned(request, by: phone.phone)) }
    await played.end(phone)
  }

  @Test func aProblemKeepsItsName() async throws {
    let problem = Problem(.tooManyRequests)
    let played = try Played([
      .reply(HTTPResponse(status: 429, fields: ["retry-after": "7"], body: problem.json)), .reply(HTTPResponse(status: 500)), json("[]"),
    ])
    let phone = try played.phone()
    await #expect(throws: PhoneError.problem(.tooManyRequests(retryAfter: 7))) { try await phone.state() }
    await #expect(throws: PhoneError.unexpected(status: 500)) { try await phone.state() }
    await #expect(throws: PhoneError.unusableReply) { try await phone.state() }
    await played.end(phone)
  }

  @Test func aLostConnectionIsTriedAgainWithTheSameKey() async throws {
    let played = try Played([.lose, .reply(HTTPResponse(status: 204))])
    let phone = try played.phone()
    try await phone.decline()
    #expect(played.requests.count == 2)
    #expect(Set(played.requests.map { $0.fields["idempotency-key"] }).count == 1)
    let nonces = try played.requests.map { try MessageSignature(label: "sig", in: $0.fields).nonce }
    #expect(Set(nonces).count == 2)
    await played.end(phone)
  }

  @Test func learnsTheServersClock() async throws {
    let ahead = HTTPDate.text(Loop.unixNow().seconds + 3600)
    let skewed = Turn.reply(HTTPResponse(status: 401, fields: ["date": ahead], body: Problem(.clockSkew).json))
    let played = try Played([skewed, .reply(HTTPResponse(status: 204)), skewed])
    let phone = try played.phone()
    try await phone.remove()
    let created = try played.requests.compactMap { try MessageSignature(label: "sig", in: $0.fields).created }
    #expect((3590...3610).contains(created[1] - created[0]))
    await #expect(throws: PhoneError.problem(Problem(.clockSkew))) { try await phone.remove() }
    await played.end(phone)
  }

  @Test(arguments: ["http://plus.example.net", "plus.example.net", "https://"]) func wantsHTTPS(_ server: String) throws {
    #expect(throws: PhoneError.unusableServer) { try PhoneClient(phone: try Phone.generate(), server: server) }
  }

  private func isSigned(_ request: HTTPRequest, by phone: Phone) throws -> Bool {
    let signature = try MessageSignature(label: "sig", in: request.fields)
    let jwk = phone.keys.sign
    let key = try SigningPublicKey(jwk: JWK(kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y))
    guard request.body.isEmpty || ContentDigest.isValid(request.fields, for: request.body) else { return false }
    return key.isValid(signature: signature.signature, for: try signature.base(for: request))
  }
}
