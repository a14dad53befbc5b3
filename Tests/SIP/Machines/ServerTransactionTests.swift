import Primitives
import Testing

@testable import SIP

/// RFC 3261 §17.2 and RFC 6026 §7.1, as seen from the network.
struct ServerTransactionTests {
  private func held(_ transport: Transport) throws -> (DrivenLayer, Request, ServerTransactionID) {
    var driven = DrivenLayer()
    let invite = try Trace.request()
    let actions = driven.layer.received(invite, from: Trace.flow(transport), now: .zero)
    driven.take(actions, at: .zero)
    #expect(driven.drain() == ["0 request INVITE"])
    return (driven, invite, try ServerTransactionID(invite))
  }

  @Test func repeatedInviteGetsTheLastResponse() throws {
    var (driven, invite, id) = try held(.udp)
    driven.take(driven.layer.received(invite, from: Trace.flow(.udp), now: .ms(100)), at: .ms(100))
    driven.take(driven.layer.respond(to: id, with: Trace.response(100, to: invite), now: .ms(150)), at: .ms(150))
    driven.take(driven.layer.respond(to: id, with: Trace.response(180, to: invite), now: .ms(160)), at: .ms(160))
    driven.take(driven.layer.received(invite, from: Trace.flow(.udp), now: .ms(500)), at: .ms(500))
    #expect(driven.drain() == ["150 send 100", "160 send 180", "500 send 180"])
    driven.run(until: .distantFuture)
    #expect(driven.drain() == [])
    #expect(driven.layer.serverCount == 1)
  }

  @Test func lostAckToARefusal() throws {
    var (driven, invite, id) = try held(.udp)
    driven.take(driven.layer.respond(to: id, with: Trace.response(486, to: invite), now: .zero), at: .zero)
    driven.run(until: .ms(60_000))
    let times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]
    #expect(driven.drain() == times.map { "\($0) send 486" } + ["32000 ended"])
    #expect(driven.layer.serverCount == 0)
  }

  @Test func reliableTransportsRepeatNoRefusal() throws {
    var (driven, invite, id) = try held(.tls)
    driven.take(driven.layer.respond(to: id, with: Trace.response(486, to: invite), now: .zero), at: .zero)
    driven.run(until: .ms(31_999))
    #expect(driven.drain() == ["0 send 486"])
    let ack = try Trace.request("ACK", toTag: "t1")
    driven.take(driven.layer.received(ack, from: Trace.flow(.tls), now: .ms(31_999)), at: .ms(31_999))
    #expect(driven.drain() == ["31999 acknowledged", "31999 ended"])
  }

  @Test func ackToARefusalIsAbsorbedAndSoAreItsRepetitions() throws {
    var (driven, invite, id) = try held(.udp)
    driven.take(driven.layer.respond(to: id, with: Trace.response(603, to: invite), now: .zero), at: .zero)
    let ack = try Trace.request("ACK", toTag: "t1")
    for time: Int64 in [40, 60, 4000] { driven.take(driven.layer.received(ack, from: Trace.flow(.udp), now: .ms(time)), at: .ms(time)) }
    driven.take(driven.layer.received(invite, from: Trace.flow(.udp), now: .ms(4500)), at: .ms(4500))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 send 603", "40 acknowledged", "5040 ended"])
  }

  @Test(arguments: Transport.allCases)
  func okIsRepeatedOnEveryTransportUntilItsAck(_ transport: Transport) throws {
    var (driven, invite, id) = try held(transport)
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: invite), now: .zero), at: .zero)
    driven.run(until: .ms(8000))
    #expect(driven.drain() == [0, 500, 1500, 3500, 7500].map { "\($0) send 200" })
    let ack = try Trace.request("ACK", branch: "z9hG4bKother", toTag: "t1")
    driven.take(driven.layer.received(ack, from: Trace.flow(transport), now: .ms(8000)), at: .ms(8000))
    driven.take(driven.layer.acknowledged(id), at: .ms(8000))
    driven.take(driven.layer.received(invite, from: Trace.flow(transport), now: .ms(8100)), at: .ms(8100))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["8000 request ACK", "32000 ended"])
  }

  @Test func aLateWakeUpRepeatsOnce() throws {
    var (driven, invite, id) = try held(.udp)
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: invite), now: .zero), at: .zero)
    driven.take(driven.layer.deadlineReached(now: .ms(20_000)), at: .ms(20_000))
    driven.run(until: .ms(21_000))
    #expect(driven.drain() == ["0 send 200", "20000 send 200", "21000 send 200"])
  }

  @Test func okWithoutAck() throws {
    var (driven, invite, id) = try held(.tcp)
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: invite), now: .zero), at: .zero)
    driven.run(until: .ms(60_000))
    #expect(driven.drain().suffix(3) == ["31500 send 200", "32000 noACK", "32000 ended"])
  }

  @Test func cancelAgainstTheAnswer() throws {
    var (driven, invite, id) = try held(.udp)
    let cancel = try Trace.request("CANCEL")
    let actions = driven.layer.received(cancel, from: Trace.flow(.udp), now: .ms(10))
    let cancelID = try ServerTransactionID(cancel)
    guard case .deliver(.cancel(of: id, _, cancelID))? = actions.first else { Issue.record("no cancel"); return }
    driven.take(driven.layer.respond(to: cancelID, with: Trace.response(200, to: cancel), now: .ms(10)), at: .ms(10))
    driven.take(driven.layer.respond(to: id, with: Trace.response(487, to: invite), now: .ms(10)), at: .ms(10))
    // The phone's answer comes a moment too late: exactly one final response goes out.
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: invite), now: .ms(11)), at: .ms(11))
    // A repeated CANCEL gets its 200 again and tells nobody.
    driven.take(driven.layer.received(cancel, from: Trace.flow(.udp), now: .ms(12)), at: .ms(12))
    #expect(driven.drain() == ["10 send 200", "10 send 487", "12 send 200"])
  }

  @Test func cancelAfterTheAnswerStillNamesTheInvite() throws {
    var (driven, invite, id) = try held(.udp)
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: invite), now: .ms(5)), at: .ms(5))
    driven.take(driven.layer.received(try Trace.request("CANCEL"), from: Trace.flow(.udp), now: .ms(6)), at: .ms(6))
    driven.take(driven.layer.respond(to: id, with: Trace.response(487, to: invite), now: .ms(6)), at: .ms(6))
    #expect(driven.drain() == ["5 send 200", "6 cancel"])
  }

  @Test func cancelForNothingIsARequest() throws {
    var driven = DrivenLayer()
    driven.take(driven.layer.received(try Trace.request("CANCEL"), from: Trace.flow(.udp), now: .zero), at: .zero)
    #expect(driven.drain() == ["0 request CANCEL"])
  }

  @Test func otherRequestsAreAnsweredOnceAndRepeated() throws {
    var driven = DrivenLayer()
    let bye = try Trace.request("BYE", toTag: "t1")
    let id = try ServerTransactionID(bye)
    driven.take(driven.layer.received(bye, from: Trace.flow(.udp), now: .zero), at: .zero)
    driven.take(driven.layer.received(bye, from: Trace.flow(.udp), now: .ms(5)), at: .ms(5))
    driven.take(driven.layer.respond(to: id, with: Trace.response(200, to: bye), now: .ms(10)), at: .ms(10))
    driven.take(driven.layer.respond(to: id, with: Trace.response(500, to: bye), now: .ms(11)), at: .ms(11))
    driven.take(driven.layer.received(bye, from: Trace.flow(.udp), now: .ms(500)), at: .ms(500))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 request BYE", "10 send 200", "500 send 200", "32010 ended"])
  }

  @Test func nobodyAnswersAnOptions() throws {
    var driven = DrivenLayer()
    driven.take(driven.layer.received(try Trace.request("OPTIONS"), from: Trace.flow(.udp), now: .zero), at: .zero)
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 request OPTIONS", "32000 ended"])
  }

  @Test func overAReliableTransportAnAnswerEndsTheTransaction() throws {
    var driven = DrivenLayer()
    let options = try Trace.request("OPTIONS")
    driven.take(driven.layer.received(options, from: Trace.flow(.tls), now: .zero), at: .zero)
    driven.take(
      driven.layer.respond(to: try ServerTransactionID(options), with: Trace.response(200, to: options), now: .ms(1)), at: .ms(1))
    #expect(driven.drain() == ["0 request OPTIONS", "1 send 200", "1 ended"])
    #expect(driven.layer.serverCount == 0)
  }
}
