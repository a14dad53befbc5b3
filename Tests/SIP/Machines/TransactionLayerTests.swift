import Primitives
import Testing

@testable import SIP

struct TransactionLayerTests {
  private func isNew(_ layer: inout TransactionLayer, _ request: Request) -> Bool {
    layer.received(request, from: Trace.flow(.udp), now: .zero).contains { if case .deliver(.request) = $0 { true } else { false } }
  }

  @Test func transactionsAreToldApartByBranchSentByAndMethod() throws {
    var layer = TransactionLayer(random: SeededRandom(seed: 1))
    #expect(isNew(&layer, try Trace.request()))
    #expect(!isNew(&layer, try Trace.request(sentBy: "203.0.113.10:5060")))
    #expect(isNew(&layer, try Trace.request(branch: "z9hG4bKa2")))
    #expect(isNew(&layer, try Trace.request(sentBy: "203.0.113.10:5062")))
    #expect(isNew(&layer, try Trace.request("OPTIONS")))
    #expect(!isNew(&layer, try Trace.request(sentBy: "203.0.113.10:5060", cseq: 9)))
  }

  @Test(arguments: [nil, "1", "z9hG4bK"])
  func withoutAUniqueBranchByTheRulesOfRFC2543(_ branch: String?) throws {
    var layer = TransactionLayer(random: SeededRandom(seed: 1))
    let invite = try Trace.request(branch: branch)
    #expect(isNew(&layer, invite))
    #expect(!isNew(&layer, invite))
    #expect(isNew(&layer, try Trace.request(branch: branch, cseq: 2)))
    #expect(isNew(&layer, try Trace.request(branch: branch, callID: "c2")))
    _ = layer.respond(to: try ServerTransactionID(invite), with: Trace.response(486, to: invite), now: .zero)
    let ack = try Trace.request("ACK", branch: branch, toTag: "t1")
    let delivered = layer.received(ack, from: Trace.flow(.udp), now: .ms(1)).filter { if case .deliver = $0 { true } else { false } }
    #expect(delivered == [.deliver(.acknowledged(try ServerTransactionID(invite)))])
    let cancel = try Trace.request("CANCEL", branch: branch, cseq: 2)
    let second = try ServerTransactionID(try Trace.request(branch: branch, cseq: 2))
    guard case .deliver(.cancel(of: second, _, _))? = layer.received(cancel, from: Trace.flow(.udp), now: .ms(1)).first else {
      Issue.record("the CANCEL found no INVITE")
      return
    }
  }

  @Test func forkedInvitesShareAnIdentity() throws {
    let one = try RequestIdentity(Trace.request(branch: "z9hG4bKx.1"))
    #expect(try one == RequestIdentity(Trace.request(branch: "z9hG4bKx.2")))
    #expect(try one != RequestIdentity(Trace.request(branch: "z9hG4bKx.2", cseq: 2)))
  }

  @Test func deliveredRequestsSayWhereTheyCameFrom() throws {
    var layer = TransactionLayer(random: SeededRandom(seed: 1))
    let invite = try Trace.request(sentBy: "10.0.0.1:5066")
    guard case .deliver(.request(let delivered, let id, _))? = layer.received(invite, from: Trace.flow(.udp), now: .zero).first else {
      throw Samples.NotThis()
    }
    #expect(try delivered.topVia.received == Trace.provider.ip && delivered.topVia.rport == 5060)
    let actions = layer.respond(to: id, with: Trace.response(180, to: delivered), now: .zero)
    let target = ResponseTarget(
      flow: Trace.flow(.udp), fallback: Target(transport: .udp, address: SocketAddress(ip: Trace.provider.ip, port: 5066)),
      sentBy: Bytes("10.0.0.1:5066".utf8))
    #expect(actions == [.respond(Trace.response(180, to: delivered).message.raw, to: target)])
  }

  @Test func withoutRportTheAnswerGoesToThePortOfTheVia() throws {
    let request = try Samples.request(
      message(
        "OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/UDP 203.0.113.10;branch=z9hG4bKq\nFrom: <sip:a@b>;tag=1\nTo: <sip:a@b>\n"
          + "Call-ID: x\nCSeq: 1 OPTIONS\n\n"))
    var flow = Trace.flow(.udp)
    flow.remote.port = 40_000
    #expect(try ResponseTarget(of: request, from: flow).flow.remote == Trace.provider)
    flow.transport = .tls
    let overTLS = try ResponseTarget(of: request, from: flow)
    #expect(overTLS.flow.remote.port == 40_000 && overTLS.fallback.address.port == 5061)
  }

  /// Kamailio finds a connection by its address, and two of ours may have one port.
  @Test(arguments: [("TLS", Transport.tcp, Transport.tls), ("TCP", .tls, .tls), ("TCP", .tcp, .tcp), ("TLS", .tls, .tls)])
  func aNewConnectionForTheAnswerIsNoLessSecureThanTheViaSays(via: String, flow: Transport, transport: Transport) throws {
    let request = try Samples.request(
      message(
        "OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/\(via) 203.0.113.10:5071;branch=z9hG4bKq\nFrom: <sip:a@b>;tag=1\nTo: <sip:a@b>\n"
          + "Call-ID: x\nCSeq: 1 OPTIONS\n\n"))
    let target = try ResponseTarget(of: request, from: Trace.flow(flow))
    #expect(target.fallback == Target(transport: transport, address: SocketAddress(ip: Trace.provider.ip, port: 5071)))
  }

  @Test func aFullServerAnswers503() throws {
    var layer = TransactionLayer(limits: .init(servers: 1, clients: 0), random: SeededRandom(seed: 1))
    #expect(isNew(&layer, try Trace.request()))
    let second = layer.received(try Trace.request(branch: "z9hG4bKa2"), from: Trace.flow(.udp), now: .zero)
    guard second.count == 1, case .respond(let bytes, _) = second[0] else { throw Samples.NotThis() }
    #expect(bytes.starts(with: Bytes("SIP/2.0 503 ".utf8)) && bytes.contains(subsequence: "Retry-After: 10\r\n"))
    #expect(layer.serverCount == 1)
    #expect(isNew(&layer, try Trace.request("ACK", branch: "z9hG4bKa3", toTag: "t")))
    let (id, actions) = layer.send(try Trace.request("OPTIONS"), over: Trace.flow(.udp), via: [65], now: .zero)
    #expect(actions == [.deliver(.transportFailed(id))])
  }

  @Test func anotherNodeAdoptsARingingCall() throws {
    var first = DrivenLayer()
    let invite = try Trace.request()
    first.take(first.layer.received(invite, from: Trace.flow(.tls), now: .zero), at: .zero)
    let stamped = try invite.stamped(source: Trace.provider)
    var second = DrivenLayer()
    let (id, actions) = try second.layer.adopt(
      invite: stamped, last: Trace.response(180, to: stamped), from: Trace.flow(.tls), now: .ms(5000))
    second.take(actions, at: .ms(5000))
    #expect(try id == ServerTransactionID(invite))
    second.take(second.layer.received(invite, from: Trace.flow(.tls), now: .ms(5100)), at: .ms(5100))
    second.take(second.layer.received(try Trace.request("CANCEL"), from: Trace.flow(.tls), now: .ms(5200)), at: .ms(5200))
    second.take(second.layer.respond(to: id, with: Trace.response(487, to: stamped), now: .ms(5300)), at: .ms(5300))
    #expect(second.drain() == ["5100 send 180", "5200 cancel", "5300 send 487"])
  }

  @Test func anAdoptedAnswerIsSentAgain() throws {
    var driven = DrivenLayer()
    let invite = try Trace.request()
    let (_, actions) = try driven.layer.adopt(
      invite: invite, last: Trace.response(200, to: invite), from: Trace.flow(.udp), now: .ms(100))
    driven.take(actions, at: .ms(100))
    driven.run(until: .ms(1600))
    #expect(driven.drain() == ["100 send 200", "600 send 200", "1600 send 200"])
  }

  @Test func forgottenRequestsAreSilence() throws {
    var driven = DrivenLayer()
    let options = try Trace.request("OPTIONS")
    driven.take(driven.layer.received(options, from: Trace.flow(.udp), now: .zero), at: .zero)
    driven.layer.forget(try ServerTransactionID(options))
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == ["0 request OPTIONS"])
    #expect(driven.layer.serverCount == 0)
  }

  @Test func manyTransactionsEndInOrder() throws {
    var driven = DrivenLayer()
    for number in 0..<1000 {
      let request = try Trace.request("OPTIONS", branch: "z9hG4bK\(number)")
      driven.take(driven.layer.received(request, from: Trace.flow(.udp), now: .ms(Int64(number))), at: .ms(Int64(number)))
      driven.take(
        driven.layer.respond(
          to: try ServerTransactionID(request), with: Trace.response(200, to: request), now: .ms(Int64(number))), at: .ms(Int64(number)))
    }
    #expect(driven.layer.serverCount == 1000)
    _ = driven.drain()
    driven.run(until: .ms(60_000))
    #expect(driven.drain() == (0..<1000).map { "\(32_000 + $0) ended" })
  }

  @Test func theQueueGivesTenThousandDeadlinesInOrder() {
    var random = SeededRandom(seed: 3)
    var queue = DeadlineQueue<Int>()
    for owner in 0..<10_000 { queue.set(.ms(Int64(random.next() % 5000)), for: owner) }
    for owner in 0..<5000 { queue.set(.ms(Int64(random.next() % 5000)), for: owner) }
    var due: [Instant] = []
    while let earliest = queue.earliest, queue.popDue(now: earliest) != nil { due.append(earliest) }
    #expect(due.count == 10_000 && due == due.sorted())
  }

  @Test func theQueueForgetsDeadlinesThatMoved() {
    var queue = DeadlineQueue<Int>()
    for round in 0..<1000 { queue.set(.ms(Int64(10_000 - round)), for: 1) }
    queue.set(.ms(5), for: 2)
    queue.set(nil, for: 2)
    #expect(queue.earliest == .ms(9001) && queue.count == 1)
    #expect(queue.popDue(now: .ms(9000)) == nil)
    #expect(queue.popDue(now: .ms(9001)) == 1)
    #expect(queue.earliest == nil)
  }
}
