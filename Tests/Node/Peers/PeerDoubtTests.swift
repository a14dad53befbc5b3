import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store
import Testing

@testable import Node

/// Peers that are silent, and such as are none.
@LoopActor
@Suite(.serialized) struct PeerDoubtTests {
  private let authority: CertificateAuthority
  private var impatient = PeerLimits()
  private let b: NodeID

  init() throws {
    authority = try CertificateAuthority(commonName: "Cluster")
    impatient.answer = .milliseconds(300)
    b = try #require(NodeID("b"))
  }

  private func member(at address: SocketAddress) -> Member {
    Member(holder: Holder(node: b, incarnation: 1), peerAddress: address.text, remaining: .seconds(3))
  }

  /// A process that was stopped: the system takes connections in its name, and nothing answers.
  @Test(arguments: [false, true]) func whoNeverAnswersIsLost(hasShakenHands: Bool) async throws {
    let a = try TestNode("a", authority, limits: impatient)
    let identity = try authority.issue(names: ["b"])
    let tls = try TLSContext.server(
      certificatePEM: identity.certificatePEM, keyPEM: identity.keyPEM, alpn: ["h2"], clientAuthority: authority.certificatePEM)
    let listener = try TCPListener(bind: SocketAddress(ip: .loopbackIPv4, port: 0), tls: hasShakenHands ? tls : nil) {
      $0.onBytes = { _ in }
    }
    let peers = [member(at: listener.local)]
    a.links.meet(peers)
    let answers = Arrivals<Result<HTTPResponse, PeerFailure>>()
    try a.forward(1, to: b, answers)
    a.links.greet(peers, a.greeting)
    #expect(await a.events.got(.lost(b)))
    #expect(await answers.first(within: .seconds(5)) == .failure(hasShakenHands ? .gone : .notProcessed), "long before its own limit")
    a.links.knock(b)
    a.links.greet(peers, a.greeting)
    #expect(await a.events.first(within: .seconds(1)) { $0 == .refused(b) } == nil)
    listener.close()
    await a.die()
  }

  @Test func aNodeOfAnotherClusterIsNoPeer() async throws {
    let a = try TestNode("a", authority)
    let stranger = try TestNode("b", try CertificateAuthority(commonName: "Cluster"))
    a.links.greet([stranger.member], a.greeting)
    #expect(await a.events.got(.lost(b)))
    stranger.links.greet([a.member], stranger.greeting)
    #expect(await stranger.events.got(.lost(a.id)))
    a.links.greet([stranger.member], a.greeting)
    #expect(await a.events.got(.lost(b)))
    #expect(a.desk.greeted.all.isEmpty && stranger.desk.greeted.all.isEmpty)
    for node in [a, stranger] { #expect(node.distrust.all == [.certificate(.unknownAuthority)], "said once") }
    for node in [a, stranger] { await node.die() }
  }

  /// The right authority, and another node than the one that was to be reached.
  @Test func anotherNodeAtTheAddressIsNotTheOne() async throws {
    let (a, c) = (try TestNode("a", authority), try TestNode("c", authority))
    a.links.greet([member(at: try #require(c.service.local))], a.greeting)
    #expect(await a.events.got(.lost(b)))
    #expect(c.desk.greeted.all.isEmpty)
    for node in [a, c] { await node.die() }
  }

  @Test func nobodySpeaksInAnothersName() async throws {
    let (liar, c) = (try TestNode("a", authority, certified: "b"), try TestNode("c", authority))
    liar.links.greet([c.member], liar.greeting)
    #expect(await liar.events.got(.lost(c.id)))
    #expect(c.desk.greeted.all.isEmpty)
    for node in [liar, c] { await node.die() }
  }

  @Test func whoShowsNoCertificateGetsNothing() async throws {
    let c = try TestNode("c", authority)
    let address = try #require(c.service.local)
    let tls = try TLSContext.client(trust: .pem(authority.certificatePEM), alpn: ["h2"])
    let client = HTTPClient(origin: HTTPOrigin(scheme: .https, host: "c", port: address.port), tls: tls, address: address)
    let request = HTTPRequest(method: "POST", authority: "", path: "/peer/1/greet", fields: ["node": "a"], body: [16, 1])
    await #expect(throws: HTTPClientError.unknown(.connectionLost)) { try await client.send(request) }
    #expect(c.desk.greeted.all.isEmpty)
    client.close()
    await c.die()
  }

  @Test(
    arguments: [
      ("/peer/1/greet", "a", [16, 1], 200), ("/peer/1/greet", "a", [10, 255], 400), ("/peer/1/phone", "a", [], 400),
      ("/peer/1/renew", "a", [], 400), ("/peer/2/greet", "a", [], 404), ("/peer/1/other", "a", [], 404), ("/peer/1/greet", "c", [], 403),
      ("/peer/1/greet", "", [], 403), ("/peer/1/handed", "a", [10, 1, 7], 400), ("/peer/1/handed", "a", [], 204),
    ] as [(String, String, Bytes, Int)])
  func requestsThatAreNone(path: String, name: String, body: Bytes, status: Int) async throws {
    let c = try TestNode("c", authority)
    let address = try #require(c.service.local)
    let identity = try authority.issue(names: ["a"])
    let tls = try TLSContext.client(trust: .pem(authority.certificatePEM), alpn: ["h2"], identity: identity)
    let client = HTTPClient(origin: HTTPOrigin(scheme: .https, host: "c", port: address.port), tls: tls, address: address)
    let request = HTTPRequest(method: "POST", authority: "", path: path, fields: ["node": name], body: body)
    #expect(try await client.send(request).status == status)
    client.close()
    await c.die()
  }
}
