import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store
import Testing

@testable import Node

/// Nodes that speak to each other over real sockets.
@LoopActor
@Suite(.serialized) struct PeerTests {
  private typealias Answers = Arrivals<Result<HTTPResponse, PeerFailure>>

  private let authority: CertificateAuthority

  init() throws { authority = try CertificateAuthority(commonName: "Cluster") }

  private func node(_ name: String, _ limits: PeerLimits = .init()) throws -> TestNode { try TestNode(name, authority, limits: limits) }

  @Test func threeGreetEachOther() async throws {
    var patient = PeerLimits()
    (patient.answer, patient.silence) = (.seconds(60), .seconds(60))
    let (a, b, c) = (try node("a", patient), try node("b", patient), try node("c", patient))
    await a.greet(b, c)
    await b.greet(a, c)
    await c.greet(a, b)
    #expect(Set(a.desk.greeted.all) == [b.id, c.id])
    await a.greet(b, c)
    #expect(b.service.connectionCount == 2, "one connection from each")
    for node in [a, b, c] { await node.die() }
  }

  @Test func aPeerThatDiesIsLostAtOnceAndThenRefuses() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    await b.die()
    #expect(await a.events.got(.lost(b.id)), "without another greeting")
    a.links.knock(b.id)
    #expect(await a.events.got(.refused(b.id)))
    let c = try TestNode("b", authority, incarnation: 2, at: b)
    await a.greet(c)
    for node in [a, c] { await node.die() }
  }

  @Test func aGreetingThatIsRefusedSaysSo() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await b.die()
    a.links.greet([b.member], a.greeting)
    #expect(await a.events.got(.refused(b.id)))
    #expect(a.events.all.count == 1)
    await a.die()
  }

  @Test func aMemberWithoutAnAddressIsLost() async throws {
    let a = try node("a")
    let peer = try #require(NodeID("b"))
    a.links.greet([Member(holder: Holder(node: peer, incarnation: 1), peerAddress: "b:x", remaining: .seconds(3))], a.greeting)
    #expect(await a.events.got(.lost(peer)))
    await a.die()
  }

  @Test func aPeerRenewsForUsAndForNobodyElse() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let outcomes = Arrivals<Result<RenewalOutcome, PeerFailure>>()
    a.links.renew(a.holder, through: b.id) { outcomes.came($0) }
    #expect(await outcomes.got(.success(.leaseLost)))
    a.links.renew(b.holder, through: b.id) { outcomes.came($0) }
    #expect(await outcomes.got(.failure(.notProcessed)))
    #expect(b.desk.renewed.all == [a.holder])
    for node in [a, b] { await node.die() }
  }

  @Test func aPhonesAnswerComesBackAsItIs() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let answers = Answers()
    try a.forward(1, to: b.id, answers)
    #expect(await b.desk.got(1))
    #expect(try b.desk.phones.all == [.sample(1)])
    let response = HTTPResponse(
      status: 503, fields: ["content-type": "application/problem+json", "retry-after": "5"], body: Bytes(repeating: 1, count: 65_536))
    b.desk.waiting[1]?(response)
    #expect(await answers.first() == .success(response))
    try a.forward(2, to: b.id, answers)
    #expect(await b.desk.got(2))
    b.desk.waiting[2]?(nil)
    #expect(await answers.got(.failure(.notProcessed)), "not its account")
    #expect(b.desk.gone.all == [])
    for node in [a, b] { await node.die() }
  }

  @Test func aWaitingRequestOutlivesItsPeer() async throws {
    let (a, b, c) = (try node("a"), try node("b"), try node("c"))
    await a.greet(b, c)
    let answers = Answers()
    try a.forward(1, to: b.id, answers)
    #expect(await b.desk.got(1))
    await b.die()
    #expect(await answers.first() == .failure(.gone))
    try a.forward(1, to: c.id, answers)
    #expect(await c.desk.got(1))
    c.desk.waiting[1]?(HTTPResponse(status: 204))
    #expect(await answers.got(.success(HTTPResponse(status: 204))))
    for node in [a, c] { await node.die() }
  }

  @Test func aPeerThatStopsInGoodOrderAnswersWhatItHas() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let answers = Answers()
    try a.forward(1, to: b.id, answers)
    #expect(await b.desk.got(1))
    let stop = Arrivals<String>()
    Task { @LoopActor in
      stop.came("begins")
      await b.service.stop(within: .seconds(20))
      stop.came("ends")
    }
    #expect(await stop.got("begins"))
    for _ in 0..<20 where !a.events.all.contains(.refused(b.id)) {
      a.links.greet([b.member], a.greeting)
      _ = await a.events.got(.refused(b.id), within: .milliseconds(300))
    }
    #expect(a.events.all.contains(.refused(b.id)))
    #expect(answers.all.isEmpty)
    b.desk.waiting[1]?(HTTPResponse(status: 204))
    #expect(await answers.got(.success(HTTPResponse(status: 204))))
    #expect(await stop.got("ends"))
    await a.die()
  }

  @Test func aPhoneThatGoesAwayEndsItsRequestAtThePeer() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let answers = Answers()
    let call = try a.forward(1, to: b.id, answers)
    #expect(await b.desk.got(1))
    #expect(!call.withdraw(), "the peer has seen it")
    call.abandon()
    #expect(await b.desk.gone.got(1))
    b.desk.waiting[1]?(HTTPResponse(status: 204))
    await a.greet(b)
    #expect(answers.all.isEmpty)
    for node in [a, b] { await node.die() }
  }

  @Test func theDeathOfTheAskerEndsItToo() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    try a.forward(1, to: b.id, Answers())
    #expect(await b.desk.got(1))
    await a.die()
    #expect(await b.desk.gone.got(1))
    await b.die()
  }

  @Test func whoIsNoMemberAnyMoreIsAskedNothing() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let answers = Answers()
    try a.forward(1, to: b.id, answers)
    #expect(await b.desk.got(1))
    a.links.meet([])
    #expect(await answers.got(.failure(.gone)))
    try a.forward(2, to: b.id, answers)
    #expect(await answers.got(.failure(.notProcessed)))
    for node in [a, b] { await node.die() }
  }

  @Test func manyWaitAndGreetingsStillGetThrough() async throws {
    var limits = PeerLimits()
    limits.underWay = 300
    let (a, b) = (try TestNode("a", authority, limits: limits), try TestNode("b", authority, limits: limits))
    await a.greet(b)
    let answers = Answers()
    for id in 1...300 { try a.forward(UInt64(id), to: b.id, answers) }
    #expect(await b.desk.got(300))
    try a.forward(301, to: b.id, answers)
    #expect(await answers.first() == .failure(.notProcessed), "one too many")
    a.links.greet([b.member], a.greeting)
    b.desk.waiting[150]?(HTTPResponse(status: 204))
    #expect(await answers.got(.success(HTTPResponse(status: 204))))
    try a.forward(301, to: b.id, answers)
    #expect(await b.desk.got(301))
    #expect(!a.events.all.contains(.lost(b.id)))
    for node in [a, b] { await node.die() }
  }

  @Test func messagesAndAccountsArePassed() async throws {
    let (a, b) = (try node("a"), try node("b"))
    await a.greet(b)
    let answers = Arrivals<Result<Bytes?, PeerFailure>>()
    let bye = PassedMessage(message: Array("BYE sip:x SIP/2.0\r\n\r\n".utf8), flow: [1, 2, 3])
    a.links.pass(bye, to: b.id) { answers.came($0) }
    #expect(await answers.got(.success(Array("SIP/2.0 200 OK\r\n\r\n".utf8))))
    a.links.pass(PassedMessage(message: Array("ACK sip:x SIP/2.0\r\n\r\n".utf8), flow: []), to: b.id) { answers.came($0) }
    #expect(await answers.got(.success(nil)))
    #expect(b.desk.messages.all.first == bye)
    a.links.handed(try (0..<4500).map { try #require(AccountID(bytes: Bytes(repeating: UInt8($0 & 255), count: 16))) }, to: b.id)
    #expect(await b.desk.handed.got(500))
    #expect(b.desk.handed.all.reduce(0, +) == 4500)
    for node in [a, b] { await node.die() }
  }
}
