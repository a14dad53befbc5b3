import Primitives
import Testing

@testable import SIP

/// RFC 3261 §17.1 and RFC 6026 §7.2, as seen from the network.
struct ClientTransactionTests {
  private func sent(_ method: Method, _ transport: Transport) throws -> (DrivenLayer, ClientTransactionID, Request) {
    var driven = DrivenLayer()
    let bare = MessageBuilder.request(method, uri: Bytes("sip:ann@example.com".utf8), body: Bytes()) { builder in
      builder.append(.route, "<sip:r1.example.com;lr>")
      builder.append(.from, "<sip:tok@192.0.2.10>;tag=t1")
      builder.append(.to, "<sip:ann@example.com>")
      builder.append(.callID, "c1")
      builder.append(.cSeq, CSeq(number: 7, method: method).bytes)
    }
    let (id, actions) = driven.layer.send(bare, over: Trace.flow(transport), via: Bytes("192.0.2.10:5060".utf8), now: .zero)
    driven.take(actions, at: .zero)
    guard case .send(let bytes, _)? = actions.first else { throw Samples.NotThis() }
    return (driven, id, try Samples.request(bytes))
  }

  @Test func theViaGoesOnTop() throws {
    let (_, id, request) = try sent(.invite, .tls)
    let via = try request.topVia
    #expect(via.transport.equals("TLS") && via.sentBy.host.equals("192.0.2.10") && via.wantsRport && via.hasUniqueBranch)
    #expect(via.branch.map { Array($0) } == id.branch)
    #expect(try request.cseq.number == 7)
  }

  @Test func inviteWithoutAnyResponse() throws {
    var (driven, _, _) = try sent(.invite, .udp)
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == [0, 500, 1500, 3500, 7500, 15_500, 31_500].map { "\($0) send INVITE" } + ["32000 timedOut"])
    #expect(driven.layer.clientCount == 0)
  }

  @Test func otherRequestWithoutAnyResponse() throws {
    var (driven, _, _) = try sent(.register, .udp)
    driven.run(until: .ms(60_000))
    let times = [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]
    #expect(driven.drain() == times.map { "\($0) send REGISTER" } + ["32000 timedOut"])
  }

  @Test(arguments: [Method.invite, .register])
  func reliableTransportsRepeatNothing(_ method: Method) throws {
    var (driven, _, _) = try sent(method, .tcp)
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 send \(method.bytes.text)", "32000 timedOut"])
  }

  @Test func provisionalSlowsTheRepetitionDown() throws {
    var (driven, _, request) = try sent(.bye, .udp)
    driven.take(driven.layer.received(Trace.response(100, to: request), from: Trace.flow(.udp), now: .ms(200)), at: .ms(200))
    driven.run(until: .ms(9000))
    #expect(driven.drain() == ["0 send BYE", "200 response 100", "4200 send BYE", "8200 send BYE"])
    driven.take(driven.layer.received(Trace.response(200, to: request), from: Trace.flow(.udp), now: .ms(9000)), at: .ms(9000))
    driven.take(driven.layer.received(Trace.response(200, to: request), from: Trace.flow(.udp), now: .ms(9100)), at: .ms(9100))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["9000 response 200"])
    #expect(driven.layer.clientCount == 0)
  }

  @Test func refusedInviteIsAcknowledgedEachTime() throws {
    var (driven, _, request) = try sent(.invite, .udp)
    let refusal = Trace.response(486, to: request, tag: "peer")
    driven.take(driven.layer.received(Trace.response(180, to: request), from: Trace.flow(.udp), now: .ms(100)), at: .ms(100))
    let actions = driven.layer.received(refusal, from: Trace.flow(.udp), now: .ms(200))
    guard case .send(let bytes, _)? = actions.first else { throw Samples.NotThis() }
    let ack = try Samples.request(bytes)
    #expect(try ack.topVia.raw == request.topVia.raw && ack.uri.equals("sip:ann@example.com"))
    #expect(try ack.toTag?.equals("peer") == true && ack.cseq == CSeq(number: 7, method: .ack))
    #expect(try ack.routes.count == 1)
    driven.take(actions, at: .ms(200))
    driven.take(driven.layer.received(refusal, from: Trace.flow(.udp), now: .ms(700)), at: .ms(700))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 send INVITE", "100 response 180", "200 send ACK", "200 response 486", "700 send ACK"])
    #expect(driven.layer.clientCount == 0)
  }

  @Test func everyOkToAnInviteIsDelivered() throws {
    var (driven, _, request) = try sent(.invite, .udp)
    for time: Int64 in [100, 600] {
      driven.take(driven.layer.received(Trace.response(200, to: request), from: Trace.flow(.udp), now: .ms(time)), at: .ms(time))
    }
    driven.take(driven.layer.received(Trace.response(486, to: request), from: Trace.flow(.udp), now: .ms(700)), at: .ms(700))
    #expect(driven.drain() == ["0 send INVITE", "100 response 200", "600 response 200"])
    driven.run(until: .ms(32_100))
    #expect(driven.layer.clientCount == 0)
  }

  @Test func cancelHasTheBranchOfItsInvite() throws {
    var (driven, id, request) = try sent(.invite, .udp)
    #expect(driven.layer.cancel(id, now: .ms(50)) == nil)
    driven.take(driven.layer.received(Trace.response(180, to: request), from: Trace.flow(.udp), now: .ms(100)), at: .ms(100))
    guard let (cancelID, actions) = driven.layer.cancel(id, now: .ms(200)), case .send(let bytes, _)? = actions.first else {
      throw Samples.NotThis()
    }
    let cancel = try Samples.request(bytes)
    #expect(cancelID != id && cancel.method == .cancel)
    #expect(try cancel.topVia.raw == request.topVia.raw && cancel.cseq == CSeq(number: 7, method: .cancel))
    driven.take(driven.layer.received(Trace.response(200, to: cancel), from: Trace.flow(.udp), now: .ms(300)), at: .ms(300))
    driven.take(driven.layer.received(Trace.response(487, to: request), from: Trace.flow(.udp), now: .ms(310)), at: .ms(310))
    #expect(driven.drain().suffix(3) == ["300 response 200", "310 send ACK", "310 response 487"])
  }

  @Test func aLostFlowFailsWhatWaitsOnIt() throws {
    var (driven, _, _) = try sent(.register, .tls)
    driven.take(driven.layer.transportFailed(Trace.flow(.udp)), at: .ms(10))
    driven.take(driven.layer.transportFailed(Trace.flow(.tls)), at: .ms(20))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 send REGISTER", "20 transportFailed"])
  }

  @Test func strayResponsesAreDropped() throws {
    var (driven, _, request) = try sent(.register, .udp)
    let stray = Trace.response(200, to: request.replacingTop(.via, Bytes("SIP/2.0/UDP 192.0.2.10;branch=z9hG4bKx".utf8)))
    #expect(driven.layer.received(stray, from: Trace.flow(.udp), now: .ms(10)) == [])
  }
}
