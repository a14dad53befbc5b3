import PhoneContract
import Primitives
import SIP
import Store
import Testing

@testable import Switchboard

/// What becomes of a call whose node is gone.
@Suite struct AdoptionTests {
  private let now = CallSample.now + .seconds(10)
  private var random = SeededRandom(seed: 1)
  private let a = Stage.device("a")
  private let b = Stage.device("b")

  private func adopted(_ call: Call) throws -> (Call, [Call.Action]) {
    var read = try Call(record: call.record)
    let actions = read.adopted(now: now)
    return (read, actions)
  }

  private func methods(_ actions: [Call.Action]) -> [String] {
    actions.compactMap { action in
      switch action {
      case .refresh(let refresh): refresh.method.bytes.text
      case .probe: "OPTIONS"
      case .bye: "BYE"
      case .acknowledge: "ACK"
      case .accept: "200"
      default: nil
      }
    }
  }

  // MARK: Ringing

  @Test func ringsOnButNotForLong() throws {
    var (call, actions) = try adopted(CallSample.ringing())
    #expect(actions == [])
    #expect(call.held?.protection == now + .seconds(60))
    #expect(call.deadlineReached(now: now + .seconds(50)) == [.respond(180)])
    let end = call.deadlineReached(now: now + .seconds(60))
    #expect(end.contains(.respond(480)) && end.contains(.stop(a, .timedOut)))
    #expect(call.refusalHeard() == [.over])
  }

  @Test func doesNotRingLongerThanItWouldHave() throws {
    var call = try CallSample.ringing()
    call.held?.protection = now + .seconds(20)
    #expect(try adopted(call).0.held?.protection == now + .seconds(20))
  }

  @Test func whatWasIntendedCountsAsAnnouncedAndWhatNeverLeftIsAnnounced() throws {
    var ringing = try CallSample.ringing(["a", "b", "c"])
    ringing.held?.rings[b] = .unreached
    ringing.held?.rings[Stage.device("c")] = .tokenGone
    let (call, actions) = try adopted(ringing)
    #expect(actions == [.announce([b])])
    #expect(call.held?.rings == [a: .announced, b: .intended, Stage.device("c"): .tokenGone])
  }

  @Test func whoeverFetchedMayAnswer() throws {
    var ringing = try CallSample.ringing()
    _ = ringing.fetch(PhoneRequestID(1), device: a, line: .two, stage: .answer, now: CallSample.now + .seconds(8))
    var (call, _) = try adopted(ringing)
    #expect(call.fetch(PhoneRequestID(2), device: b, line: .one, stage: .answer, now: now) == [], "it waits")
    let actions = call.answer(PhoneRequestID(3), device: a, line: .two, sdp: [65], confirm: true, now: now)
    #expect(actions.contains(.accept(sdp: [65])) && actions.contains(.stop(b, .answeredElsewhere)))
  }

  @Test func stopsThatWaitedForWordAreSent() throws {
    var call = try CallSample.ringing()
    _ = call.cancelReceived(isAnsweredElsewhere: false, now: now)
    var (ended, actions) = try adopted(call)
    #expect(actions == [.releaseHeld, .respond(487), .stop(a, .callerHungUp), .stop(b, .callerHungUp)])
    #expect(ended.refusalHeard() == [.over])
  }

  // MARK: Answered, without ACK

  @Test mutating func the200IsSentAgain() throws {
    let answered = try CallSample.answered()
    var (call, actions) = try adopted(answered)
    #expect(actions == [.releaseHeld, .accept(sdp: Array(Leg.sdp("phone-a").utf8))])
    #expect(call.localTag == answered.localTag)
    #expect(call.talk?.nextDeadline == nil, "the phone is not missed before the ACK")
    #expect(call.answerRepeated(PhoneRequestID(9), device: a, line: .one, sdp: Array(Leg.sdp("phone-a").utf8)) == [])
    let confirmed = call.acknowledged(answer: nil, now: now)
    #expect(confirmed.contains(.reply(PhoneRequestID(9), .answered(AnswerReply(sdp: nil)))))
    #expect(call.talk?.phase == .confirmed)
    #expect(methods(confirmed) == ["UPDATE"], "whoever sends the ACK may have hung up at the other node")
    _ = call.responded(try CallSample.response(200, .update), to: .update, now: now, random: &random)
    #expect(call.talk?.adoption == nil)
    #expect(call.talk?.nextDeadline == now + StatusFeed.patience)
  }

  @Test mutating func withoutACKTheDialogIsProbedByUPDATE() throws {
    var (call, _) = try adopted(CallSample.answered())
    #expect(methods(call.acknowledgementMissing(now: now)) == ["UPDATE"])
    let actions = call.responded(try CallSample.response(200, .update), to: .update, now: now, random: &random)
    #expect(actions.contains(.note(.confirmed(call.id))) && methods(actions) == [])
    #expect(call.talk?.phase == .confirmed && call.talk?.adoption == nil)
    #expect(call.talk?.dialog.target.text == "sip:ann@192.0.2.99")
  }

  @Test mutating func whereUPDATEIsNotAllowedByOPTIONS() throws {
    var (call, _) = try adopted(CallSample.answered(invite: CallSample.invite(allow: "INVITE, ACK, BYE")))
    #expect(methods(call.acknowledgementMissing(now: now)) == ["OPTIONS"])
    let actions = call.responded(try CallSample.response(200, .options), to: .options, now: now, random: &random)
    #expect(methods(actions) == ["INVITE"], "which tells it where we are")
    #expect(call.talk?.phase == .confirmed && call.talk?.offersRefresh == true)
    let ended = call.responded(try CallSample.response(200, .invite), to: .invite, now: now, random: &random)
    #expect(methods(ended) == ["ACK"] && call.talk?.adoption == nil)
  }

  @Test mutating func whoRefusesUPDATEIsAskedByOPTIONS() throws {
    var (call, _) = try adopted(CallSample.answered())
    _ = call.acknowledgementMissing(now: now)
    #expect(methods(call.responded(try CallSample.response(500, .update), to: .update, now: now, random: &random)) == ["OPTIONS"])
    let end = call.responded(try CallSample.response(404, .options), to: .options, now: now, random: &random)
    #expect(methods(end) == ["BYE"] && call.talk?.isEnded == true)
  }

  @Test(arguments: [408, 481]) mutating func withoutA2xxItEnds(_ status: Int) throws {
    var (call, _) = try adopted(CallSample.answered())
    _ = call.answerRepeated(PhoneRequestID(9), device: a, line: .one, sdp: nil)
    _ = call.acknowledgementMissing(now: now)
    let end = call.responded(try CallSample.response(status, .update), to: .update, now: now, random: &random)
    #expect(methods(end) == ["BYE"] && end.contains(.reply(PhoneRequestID(9), .problem(.noACK))))
    #expect(call.talk?.isEnded == true)
  }

  @Test func withoutAnyAnswerItEnds() throws {
    var (call, _) = try adopted(CallSample.answered())
    _ = call.acknowledgementMissing(now: now)
    #expect(methods(call.unanswered(.update, now: now)) == ["BYE"])
    #expect(call.talk?.isEnded == true)
  }

  /// The answer of the other side was in the ACK that is lost.
  @Test mutating func wherePhoneOfferedAReinviteBringsTheAnswer() throws {
    var (call, _) = try adopted(CallSample.answered(invite: CallSample.invite(sdp: nil)))
    _ = call.answerRepeated(PhoneRequestID(9), device: a, line: .one, sdp: nil)
    #expect(methods(call.acknowledgementMissing(now: now)) == ["INVITE"])
    let ok = try CallSample.response(200, .invite, sdp: Leg.sdp("caller"))
    let actions = call.responded(ok, to: .invite, now: now, random: &random)
    #expect(methods(actions) == ["ACK"])
    #expect(actions.contains(.reply(PhoneRequestID(9), .answered(AnswerReply(sdp: Leg.sdp("caller"))))))
    let again = call.answerRepeated(PhoneRequestID(10), device: a, line: .one, sdp: nil)
    #expect(again == [.reply(PhoneRequestID(10), .answered(AnswerReply(sdp: Leg.sdp("caller"))))])
  }

  @Test func whoHungUpMeanwhileIsNotProbed() throws {
    var answered = try CallSample.answered()
    _ = answered.hangUp(why: .hungUp, now: now)
    var (call, actions) = try adopted(answered)
    #expect(methods(actions) == ["200"])
    #expect(methods(call.acknowledgementMissing(now: now)) == ["BYE"])
  }

  // MARK: Answered, with ACK

  @Test mutating func theTargetIsRefreshedByUPDATE() throws {
    var (call, actions) = try adopted(CallSample.confirmed())
    #expect(methods(actions) == ["UPDATE"])
    #expect(call.talk?.nextDeadline == now + StatusFeed.patience, "the phone has its patience anew")
    _ = call.responded(try CallSample.response(200, .update), to: .update, now: now, random: &random)
    #expect(call.talk?.adoption == nil && call.talk?.isEnded == false)
  }

  @Test mutating func elseByReinvite() throws {
    var (call, actions) = try adopted(CallSample.confirmed(invite: CallSample.invite(allow: "INVITE, ACK")))
    #expect(methods(actions) == ["INVITE"] && call.talk?.offersRefresh == true)
    (call, actions) = try adopted(CallSample.confirmed())
    let next = call.responded(try CallSample.response(405, .update), to: .update, now: now, random: &random)
    #expect(methods(next) == ["INVITE"])
  }

  @Test mutating func whereTheirsMeetsOursItIsAskedAgainAFewTimes() throws {
    var (call, _) = try adopted(CallSample.confirmed())
    var moment = now
    for _ in 1..<Adoption.mostRefusals {
      #expect(call.responded(try CallSample.response(491, .update), to: .update, now: moment, random: &random) == [])
      moment = try #require(call.talk?.adoption?.deadline)
      #expect(moment <= now + .seconds(6))
      #expect(methods(call.deadlineReached(now: moment)) == ["UPDATE"])
    }
    #expect(call.responded(try CallSample.response(491, .update), to: .update, now: moment, random: &random) == [])
    #expect(call.talk?.adoption == nil && call.talk?.isEnded == false)
  }

  @Test(arguments: [408, 481]) mutating func aDialogThatIsGoneEnds(_ status: Int) throws {
    var (call, _) = try adopted(CallSample.confirmed())
    let end = call.responded(try CallSample.response(status, .update), to: .update, now: now, random: &random)
    #expect(methods(end) == ["BYE"] && call.talk?.isEnded == true)
  }

  // MARK: Ended

  @Test func aByeWithoutAnswerIsSaidAgain() throws {
    var confirmed = try CallSample.confirmed()
    _ = confirmed.hangUp(why: .hungUp, now: CallSample.now)
    var (call, actions) = try adopted(confirmed)
    #expect(methods(actions) == ["BYE"] && call.talk?.isEnded == true)
    #expect(call.status(PhoneRequestID(1), after: 1, until: now, now: now).contains(.reply(PhoneRequestID(1), .problem(.noCall))))
    #expect(call.byeAnswered() == [.over])
  }

  @Test func answersOfOthersAreNotRepeated() throws {
    var (call, _) = try adopted(CallSample.confirmed())
    let nothing = [Call.Action.reply(PhoneRequestID(1), .problem(.nothingHeld))]
    #expect(call.answerRepeated(PhoneRequestID(1), device: b, line: .one, sdp: nil) == nothing)
    #expect(call.answerRepeated(PhoneRequestID(1), device: a, line: .two, sdp: nil) == nothing)
    #expect(call.answerRepeated(PhoneRequestID(1), device: a, line: .one, sdp: [1]) == nothing)
  }
}
