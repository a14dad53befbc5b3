import Primitives
import Testing

@testable import SIP

/// RFC 4028: the rows of rfc4028/session-timer-cases.json, then what happens during a call.
struct SessionTimerTests {
  private func request(_ se: String?, supported: Bool = true, minSE: Int? = nil) throws -> Request {
    let lines = [se.map { "Session-Expires: \($0)" }, supported ? "Supported: timer" : nil, minSE.map { "Min-SE: \($0)" }]
    return try Trace.request(more: lines.compactMap(\.self).map { $0 + "\n" }.joined())
  }

  private func answer(_ se: String?, supported: Bool = true, minSE: Int? = nil) throws -> SessionTimer.Answer {
    SessionTimer().answer(to: try request(se, supported: supported, minSE: minSE))
  }

  private func agreed(_ seconds: UInt32, _ refresher: SessionExpires.Refresher, required: Bool = true) -> SessionTimer.Answer {
    .accepted(SessionExpires(seconds: seconds, refresher: refresher), requiresTimer: required)
  }

  @Test func answersToTheCaller() throws {
    #expect(try answer(nil, supported: false) == .accepted(nil, requiresTimer: false))
    #expect(try answer("1800", supported: false) == agreed(1800, .uas, required: false))
    #expect(try answer("1800;refresher=uac", supported: false) == agreed(1800, .uas, required: false))
    #expect(try answer("1800") == agreed(1800, .uas))
    #expect(try answer("1800;refresher=uac") == agreed(1800, .uac))
    #expect(try answer("300;refresher=uas") == agreed(300, .uas))
    #expect(try answer("60") == .tooSmall(minSE: 90))
    #expect(try answer("60", supported: false) == .accepted(nil, requiresTimer: false))
    #expect(try answer("3600", minSE: 600) == agreed(1800, .uas))
    #expect(try answer("3600", minSE: 2000) == agreed(2000, .uas))
    #expect(try answer(nil) == agreed(1800, .uas))
    #expect(try answer(nil, minSE: 3600) == agreed(3600, .uas))
  }

  @Test func providersMessages() throws {
    let timer = SessionTimer()
    let telekom = try Samples.request("provider-messages/i01-telekom-mavodi.sip")
    #expect(timer.answer(to: telekom) == agreed(1800, .uac))
    #expect(timer.answer(to: try Samples.request("provider-messages/i16-session-expires-60.sip")) == .tooSmall(minSE: 90))
    let inserted = try Samples.request("provider-messages/i17-session-expires-no-supported.sip")
    #expect(timer.answer(to: inserted) == agreed(1800, .uas, required: false))
  }

  private func running(_ se: String, allowsUpdate: Bool = true) throws -> SessionTimer {
    var timer = SessionTimer(allowsUpdate: allowsUpdate)
    timer.answered(timer.answer(to: try request(se)), now: .zero)
    return timer
  }

  private func response(_ status: Int, _ more: String = "") throws -> Response {
    Trace.response(status, to: try Trace.request("UPDATE"), more: more)
  }

  @Test func aSilentPeerEndsTheSession() throws {
    var timer = try running("300;refresher=uac")
    #expect(timer.deadline == .ms(268_000))
    #expect(timer.deadlineReached(now: .ms(267_999)) == .none)
    #expect(timer.deadlineReached(now: .ms(268_000)) == .end)
    #expect(timer.deadline == nil)
    #expect(try running("90;refresher=uac").deadline == .ms(60_000))
  }

  @Test func thePeersRefreshStartsItAnewAndMayChangeRoles() throws {
    var timer = try running("300;refresher=uac")
    timer.answered(timer.answer(to: try request("300;refresher=uac")), now: .ms(150_000))
    #expect(timer.deadline == .ms(418_000))
    #expect(timer.answer(to: try request("300")) == agreed(300, .uac))
    timer.answered(timer.answer(to: try request("300;refresher=uas")), now: .ms(300_000))
    #expect(timer.deadline == .ms(450_000))
  }

  @Test func weRefreshAtHalfTime() throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    guard case .refresh(let refresh) = timer.deadlineReached(now: .ms(150_000)) else { throw Samples.NotThis() }
    #expect(refresh.method == .update && refresh.sessionExpires == SessionExpires(seconds: 300, refresher: .uac) && refresh.minSE == 90)
    #expect(timer.answered(by: try response(200, "Session-Expires: 300;refresher=uac"), now: .ms(150_100), random: &random) == .none)
    #expect(timer.deadline == .ms(300_100))
    _ = timer.deadlineReached(now: .ms(300_100))
    #expect(timer.answered(by: try response(200, "Session-Expires: 300;refresher=uas"), now: .ms(300_200), random: &random) == .none)
    #expect(timer.deadline == .ms(568_200))
  }

  @Test func okWithoutTheHeaderTurnsItOff() throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    _ = timer.deadlineReached(now: .ms(150_000))
    #expect(timer.answered(by: try response(200), now: .ms(150_100), random: &random) == .none)
    #expect(timer.deadline == nil)
  }

  @Test func tooSmallIsRepeatedOnce() throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    _ = timer.deadlineReached(now: .ms(150_000))
    let again = timer.answered(by: try response(422, "Min-SE: 600"), now: .ms(150_100), random: &random)
    let expires = SessionExpires(seconds: 600, refresher: .uac)
    #expect(again == .refresh(.init(method: .update, sessionExpires: expires, minSE: 600)))
    #expect(timer.answered(by: try response(422, "Min-SE: 900"), now: .ms(150_200), random: &random) == .none)
    #expect(timer.deadline == .ms(209_100))
  }

  @Test(arguments: [400, 405, 501])
  func whoKnowsNoUpdateGetsAReInvite(_ status: Int) throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    _ = timer.deadlineReached(now: .ms(150_000))
    guard case .refresh(let again) = timer.answered(by: try response(status), now: .ms(150_100), random: &random) else {
      throw Samples.NotThis()
    }
    #expect(again.method == .invite)
    #expect(timer.answered(by: try response(status), now: .ms(150_200), random: &random) == .none)
  }

  @Test(arguments: [408, 481])
  func aGonePeerEndsTheSession(_ status: Int) throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    _ = timer.deadlineReached(now: .ms(150_000))
    #expect(timer.answered(by: try response(status), now: .ms(150_100), random: &random) == .end)
    timer = try running("300;refresher=uas", allowsUpdate: false)
    _ = timer.deadlineReached(now: .ms(150_000))
    #expect(timer.timedOut() == .end)
  }

  @Test func glareIsTriedAgainSoonAndFailuresBeforeTheEnd() throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    _ = timer.deadlineReached(now: .ms(150_000))
    #expect(timer.answered(by: try response(491), now: .ms(150_000), random: &random) == .none)
    let again = try #require(timer.deadline)
    #expect(again >= .ms(150_000) && again <= .ms(152_000))
    _ = timer.deadlineReached(now: again)
    #expect(timer.answered(by: try response(503), now: .ms(168_000), random: &random) == .none)
    #expect(timer.deadline == .ms(218_000))
    _ = timer.deadlineReached(now: .ms(218_000))
    #expect(timer.deadline == .ms(268_000))
    #expect(timer.deadlineReached(now: .ms(268_000)) == .end)
  }

  @Test func aReInviteOfThePhoneRefreshesToo() throws {
    var random = SeededRandom(seed: 1)
    var timer = try running("300;refresher=uas")
    #expect(timer.requestStarted(.invite).sessionExpires == SessionExpires(seconds: 300, refresher: .uac))
    #expect(timer.deadlineReached(now: .ms(150_000)) == .none)
    _ = timer.answered(by: try response(200, "Session-Expires: 300;refresher=uac"), now: .ms(160_000), random: &random)
    #expect(timer.deadline == .ms(310_000))
    var other = try running("300;refresher=uac")
    #expect(other.requestStarted(.invite).sessionExpires.refresher == .uas)
    #expect(other.deadline == .ms(268_000))
  }
}
