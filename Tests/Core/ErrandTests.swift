import HTTP
import PhoneContract
import Primitives
import Store
import Switchboard
import Testing

@testable import Core

@Suite struct ErrandTests {
  @Test func aSingleNodeAsksNobody() throws {
    var scene = try Scene(nil)
    try scene.ask(1)
    #expect(scene.answers() == [1: 404])
    #expect(scene.open.isEmpty)
  }

  @Test func aRequestGoesToTheOwnerAndACallsToItsHome() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.reply(owner: "b", home: "c")
    #expect(scene.forwarded()?.name == "b")
    try scene.ask(2, .fetch(.one, .answer))
    try scene.reply(owner: "b", home: "c")
    #expect(scene.forwarded()?.name == "c")
    scene.peerSays(1, .success(HTTPResponse(status: 204)))
    scene.peerSays(2, .success(HTTPResponse(status: 404)))
    #expect(scene.answers() == [1: 204, 2: 404])
  }

  /// The node has just started again, and nobody has adopted its calls yet.
  @Test func aCallOfAFormerLifeIsWaitedFor() throws {
    var scene = try Scene("a", incarnation: 2)
    try scene.ask(1, .fetch(.one, .answer))
    try scene.reply(owner: "b", home: "a")
    #expect(scene.answers() == [:] && scene.forwarded() == nil)
    scene.wait(Errand.pause)
    try scene.reply(owner: "b", home: "c")
    #expect(scene.forwarded()?.name == "c")
  }

  /// The device has one: the store has lost the account, and its owner will tell it.
  @Test func anAccountThatTheStoreHasLostIsWaitedFor() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.replyNoAccount()
    #expect(scene.answers() == [:])
    scene.wait(Errand.pause)
    try scene.reply(owner: "b")
    #expect(scene.forwarded()?.name == "b")
  }

  /// Another node may reach it, and the phone that one.
  @Test func aPeerThatLivesAndDoesNotHearUsIsLeftToOthers() throws {
    var scene = try Scene("a")
    try scene.meet(["b"])
    let b = try #require(NodeID("b"))
    scene.feed { $0.peer(.heard(b, Greeting(holder: Holder(node: b, incarnation: 1), storeAnswers: true)), now: $1) }
    scene.feed { $0.peer(.lost(b), now: $1) }
    try scene.ask(1)
    try scene.reply(owner: "b")
    #expect(scene.forwarded() == b)
    try scene.meet(["b"])
    try scene.meet(["b"])
    try scene.ask(2)
    try scene.reply(owner: "b")
    #expect(scene.forwarded() == nil && scene.answers() == [2: 503])
  }

  /// What it asks for is meant for a call of then.
  @Test func whoeverAnswersHearsHowLongItHasWaited() throws {
    var scene = try Scene("a")
    try scene.ask(1, .decline, age: .seconds(3))
    try scene.reply(owner: "b")
    #expect(scene.forwardedAge() == .seconds(3))
    scene.peerSays(1, .failure(.gone))
    scene.wait(Errand.pause)
    try scene.reply(owner: "c")
    #expect(scene.forwardedAge() == .seconds(3) + Errand.pause)
  }

  @Test(arguments: [PeerFailure.gone, .notProcessed])
  func whereThePeerDiesTheSuccessorIsAsked(failure: PeerFailure) throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.reply(owner: "b")
    #expect(scene.forwarded()?.name == "b")
    scene.peerSays(1, .failure(failure))
    #expect(scene.answers() == [:])
    scene.wait(Errand.pause)
    try scene.reply(owner: "c")
    #expect(scene.forwarded()?.name == "c")
    scene.peerSays(1, .success(HTTPResponse(status: 200)))
    #expect(scene.answers() == [1: 200])
  }

  @Test func aPeerThatCannotNowIsAskedAgain() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.reply(owner: "b")
    scene.peerSays(1, .success(HTTPResponse(status: 503)))
    scene.wait(Errand.pause)
    try scene.reply(owner: "b")
    scene.peerSays(1, .success(HTTPResponse(status: 200)))
    #expect(scene.answers() == [1: 200])
  }

  @Test func whatAPeerMayHaveDoneIsNotAskedOfAnother() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.reply(owner: "b")
    scene.peerSays(1, .failure(.unknown))
    #expect(scene.answers() == [1: 503])
  }

  @Test func patienceEnds() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    let began = scene.now
    var answered: [UInt64: Int] = [:]
    while answered.isEmpty, scene.now - began < Errand.patience * 2 {
      try scene.reply(owner: "b")
      scene.peerSays(1, .failure(.notProcessed))
      answered = scene.answers()
      scene.wait(Errand.pause)
    }
    #expect(answered == [1: 503])
    #expect(scene.now - began == Errand.patience + Errand.pause)
  }

  /// Others can answer, and the phone may reach them.
  @Test func whoStaysWithoutALeaseSendsPhonesAway() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    scene.loseLease()
    try scene.ask(2)
    scene.wait(Errand.patienceWithoutLease - .milliseconds(1))
    #expect(scene.answers() == [:], "its next lease may come")
    scene.wait(.milliseconds(1))
    #expect(scene.answers() == [1: 503, 2: 503])
    scene.open = scene.open.filter { if case .store(.whereabouts, _) = $0 { false } else { true } }
    try scene.ask(3)
    try scene.replyUnavailable()
    #expect(scene.answers() == [3: 503])
    try scene.replyToJoin(Holder(node: #require(NodeID("a")), incarnation: 2))
    try scene.ask(4)
    try scene.replyUnavailable()
    #expect(scene.answers() == [:])
  }

  @Test func aPhoneThatHasGoneIsNotWaitedFor() throws {
    var scene = try Scene("a")
    try scene.ask(1)
    try scene.reply(owner: "b")
    scene.feed { $0.phoneGone(PhoneRequestID(1), now: $1) }
    #expect(scene.take { if case .abandon(let id) = $0 { id } else { nil } } == PhoneRequestID(1))
    scene.peerSays(1, .success(HTTPResponse(status: 200)))
    #expect(scene.answers() == [:])
  }

  @Test func whatAPeerSendsHereByMistakeGoesBack() throws {
    var scene = try Scene("a")
    let asked = ForwardedRequest(
      account: try #require(Scene.account), device: try Scene.device(), method: "GET", path: "/v1/setup", query: "", body: [])
    scene.feed { $0.phoneOfPeer(asked, PhoneRequestID(1), now: $1) }
    #expect(scene.take { if case .notHere(let id) = $0 { id } else { nil } } == PhoneRequestID(1))
  }
}

@Suite struct IdempotencyTests {
  /// A request with a key at a node that finds nothing under it.
  private func begun() throws -> Scene {
    var scene = try Scene("a")
    try scene.ask(1, key: "key")
    try recall(nil, &scene)
    try scene.reply(owner: "b")
    return scene
  }

  private func recall(_ record: Bytes?, _ scene: inout Scene) throws {
    let question = try #require(scene.take { if case .store(.recall, let question) = $0 { question } else { nil } })
    scene.feed { $0.storeReplied(question, .record(record), now: $1) }
  }

  private func remembered(_ scene: inout Scene) -> Bytes? {
    scene.take { if case .store(.remember(_, _, let reply, _), _) = $0 { reply } else { nil } }
  }

  @Test func theSameKeyHasOneAnswer() throws {
    var scene = try begun()
    try scene.ask(2, key: "key")
    scene.peerSays(1, .success(HTTPResponse(status: 204)))
    #expect(scene.answers() == [1: 204, 2: 204])
    let record = try #require(remembered(&scene))
    try scene.ask(3, key: "key")
    try recall(record, &scene)
    #expect(scene.answers() == [3: 204])
  }

  @Test func whatWasNotDoneMayBeAskedAgain() throws {
    var scene = try begun()
    scene.peerSays(1, .failure(.unknown))
    #expect(scene.answers() == [1: 503])
    #expect(remembered(&scene) == nil)
  }

  @Test func itGoesOnWithoutItsPhone() throws {
    var scene = try begun()
    scene.feed { $0.phoneGone(PhoneRequestID(1), now: $1) }
    scene.peerSays(1, .success(HTTPResponse(status: 204)))
    #expect(remembered(&scene) != nil)
  }

  @Test func notManyWaitForTheSame() throws {
    var scene = try begun()
    for number in 2...UInt64(Errands.mostFollowers) + 2 { try scene.ask(number, key: "key") }
    #expect(scene.answers() == [UInt64(Errands.mostFollowers) + 2: 429])
  }
}
