import Primitives
import SIP
import Store
import Switchboard
import Testing

@testable import Core

/// A request about a call that is at home at another node.
@Suite struct SeekTests {
  private func request(_ method: String) throws -> Request {
    let token = try #require(Scene.account)
    let lines = [
      "\(method) sip:\(token)@203.0.113.10 SIP/2.0", "Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK-\(method)",
      "Max-Forwards: 70", "From: <sip:ann@example.net>;tag=f", "To: <sip:bob@example.net>;tag=t", "Call-ID: c", "CSeq: 2 \(method)",
      "Content-Length: 0", "", "",
    ]
    guard case .request(let request) = try MessageParser.parse(Array(lines.joined(separator: "\r\n").utf8)) else { throw Unexpected() }
    return request
  }

  private struct Unexpected: Error {}

  private var flow: Flow {
    get throws {
      Flow(
        transport: .udp, local: try #require(SocketAddress("203.0.113.10:5060")), remote: try #require(SocketAddress("192.0.2.1:5060")),
        connection: 0)
    }
  }

  /// A node that answered while nothing may be sent would take the answer for sent, and the repetitions for known.
  @Test func beforeTheFirstLeaseNothingIsAnswered() throws {
    var scene = try Scene("a", hasLease: false)
    let request = try request("BYE")
    let id = try ServerTransactionID(request)
    let datagram = try flow
    var connection = datagram
    connection.transport = .tcp
    scene.feed { $0.provider(.request(request, id, from: datagram), now: $1) }
    #expect(scene.take { if case .drop(let dropped) = $0 { dropped } else { nil } } == id)
    scene.feed { $0.provider(.request(request, id, from: connection), now: $1) }
    #expect(scene.take { if case .drop = $0 { true } else { nil } } == nil)
    #expect(response(&scene) == nil)
    try scene.replyToJoin(Holder(node: try #require(NodeID("a")), incarnation: 1))
    try scene.reply(owner: "b", home: "c")
    #expect(passedTo(&scene)?.name == "c")
  }

  private func begun(_ method: String, among others: String...) throws -> (Scene, ServerTransactionID) {
    var scene = try Scene("a")
    try scene.meet(others)
    let request = try request(method)
    let id = try ServerTransactionID(request)
    let flow = try flow
    scene.feed { $0.provider(.request(request, id, from: flow), now: $1) }
    return (scene, id)
  }

  private func passedTo(_ scene: inout Scene) -> NodeID? {
    scene.take { if case .pass(_, let node, _) = $0 { node } else { nil } }
  }

  private func response(_ scene: inout Scene) -> Int? {
    scene.take { if case .respond(_, let response) = $0 { response.status } else { nil } }
  }

  private func answer(_ status: Int, to method: String) throws -> Bytes {
    Response.make(to: try request(method), status: status, toTag: nil).message.raw
  }

  @Test func theHomeAnswers() throws {
    var (scene, id) = try begun("BYE")
    try scene.reply(owner: "b", home: "c")
    #expect(passedTo(&scene)?.name == "c")
    let answer = try answer(200, to: "BYE")
    scene.feed { $0.passAnswered(id, .success(answer), now: $1) }
    #expect(response(&scene) == 200)
  }

  @Test func nobodyHasIt() throws {
    var (scene, id) = try begun("BYE")
    try scene.reply(owner: "b", home: "c")
    let answer = try answer(481, to: "BYE")
    scene.feed { $0.passAnswered(id, .success(answer), now: $1) }
    #expect(response(&scene) == 481)
  }

  @Test func aHomeThatHasDiedIsSucceeded() throws {
    var (scene, id) = try begun("BYE")
    try scene.reply(owner: "b", home: "c")
    #expect(passedTo(&scene)?.name == "c")
    scene.feed { $0.passAnswered(id, .failure(.gone), now: $1) }
    #expect(response(&scene) == nil)
    scene.wait(Seek.pause)
    try scene.reply(owner: "b", home: "b")
    #expect(passedTo(&scene)?.name == "b")
  }

  @Test func anotherLifeOfTheHomeHasNothingToSay() throws {
    var home = try Scene("a", incarnation: 2)
    let former = Holder(node: try #require(NodeID("a")), incarnation: 1)
    let message = PassedMessage(message: try request("BYE").message.raw, flow: try flow.record, home: former)
    home.feed { $0.passed(message, PeerRequestID(5), now: $1) }
    #expect(home.take { if case .answerPassed(_, let bytes) = $0 { bytes == nil } else { nil } } == true)

    var (scene, id) = try begun("BYE")
    try scene.reply(owner: "b", home: "c")
    #expect(passedTo(&scene)?.name == "c")
    scene.feed { $0.passAnswered(id, .success(nil), now: $1) }
    #expect(response(&scene) == nil)
    scene.wait(Seek.pause)
    try scene.reply(owner: "b", home: "b")
    #expect(passedTo(&scene)?.name == "b")
  }

  @Test func whileTheStoreIsAwayThePeersAreAsked() throws {
    var (scene, id) = try begun("CANCEL", among: "b", "c")
    try scene.replyUnavailable()
    #expect(passedTo(&scene)?.name == "b")
    let (no, yes) = (try answer(481, to: "CANCEL"), try answer(200, to: "CANCEL"))
    scene.feed { $0.passAnswered(id, .success(no), now: $1) }
    #expect(passedTo(&scene)?.name == "c")
    scene.feed { $0.passAnswered(id, .success(yes), now: $1) }
    #expect(response(&scene) == 200)
  }

  @Test func aStoreThatHasJustLostItIsNotBelieved() throws {
    var (scene, id) = try begun("CANCEL", among: "b")
    try scene.replyNoAccount()
    #expect(passedTo(&scene)?.name == "b")
    let no = try answer(481, to: "CANCEL")
    scene.feed { $0.passAnswered(id, .success(no), now: $1) }
    #expect(response(&scene) == 481)
  }

  @Test func whoeverCannotBeAskedHasDeniedNothing() throws {
    var (scene, id) = try begun("OPTIONS")
    let end = scene.now + Seek.patience + Seek.pause
    var heard: Int?
    while scene.now < end, heard == nil {
      try scene.replyUnavailable()
      while passedTo(&scene) != nil { scene.feed { $0.passAnswered(id, .failure(.gone), now: $1) } }
      scene.wait(Seek.pause)
      heard = response(&scene)
    }
    #expect(heard == 503)
  }

  @Test func theSearchEnds() throws {
    var (scene, id) = try begun("BYE")
    let end = scene.now + Seek.patience + Seek.pause
    while scene.now < end, response(&scene) == nil {
      try scene.reply(owner: "b", home: "c")
      #expect(passedTo(&scene)?.name == "c")
      scene.feed { $0.passAnswered(id, .failure(.notProcessed), now: $1) }
      scene.wait(Seek.pause)
    }
    #expect(scene.core.seeks.isEmpty)
    #expect(scene.now < end + Seek.pause)
  }

  @Test func anACKGoesThereAndNothingComesBack() throws {
    var (scene, id) = try begun("ACK")
    try scene.reply(owner: "b", home: "c")
    #expect(passedTo(&scene)?.name == "c")
    scene.feed { $0.passAnswered(id, .failure(.gone), now: $1) }
    #expect(scene.core.seeks.isEmpty)
    #expect(response(&scene) == nil)
  }

  @Test func aPeersRequestIsAnsweredOrGivenUp() throws {
    var scene = try Scene("a")
    let message = PassedMessage(message: try request("BYE").message.raw, flow: try flow.record)
    scene.feed { $0.passed(message, PeerRequestID(5), now: $1) }
    let back = scene.take { if case .answerPassed(let peer, let bytes) = $0 { (peer, bytes) } else { nil } }
    #expect(back?.0 == PeerRequestID(5))
    guard case .response(let answer) = try MessageParser.parse(try #require(back?.1)) else { throw Unexpected() }
    #expect(answer.status == 481)
    #expect(passedTo(&scene) == nil, "not passed on once more")
  }
}
