import Primitives
import Testing

@testable import SIP

/// Whatever comes in whatever order: each INVITE gets one final response, each transaction its end.
struct TransactionChanceTests {
  private struct Call {
    var invite: Request
    var id: ServerTransactionID
    var finals: Set<Int> = []
  }

  private func play(_ seed: UInt64) throws -> (driven: DrivenLayer, calls: [Call]) {
    var random = SeededRandom(seed: seed)
    var driven = DrivenLayer()
    var now = Instant.zero
    var calls = try (0..<4).map { number in
      let invite = try Trace.request(branch: "z9hG4bK\(number)", callID: "c\(number)")
      return Call(invite: invite, id: try ServerTransactionID(invite))
    }
    func take(_ actions: [TransactionLayer.Action], of index: Int) {
      for case .respond(let bytes, _) in actions {
        guard case .response(let response)? = try? MessageParser.parse(bytes), response.status >= 200,
          (try? response.cseq.method) == .invite
        else { continue }
        calls[index].finals.insert(response.status)
      }
      driven.take(actions, at: now)
    }
    for _ in 0..<120 {
      let index = Int(random.next() % 4)
      let call = calls[index]
      let transport: Transport = index % 2 == 0 ? .udp : .tls
      now = now + .milliseconds(Int64(random.next() % 900))
      driven.run(until: now)
      let name = "z9hG4bK\(index)"
      switch random.next() % 7 {
      case 0, 1: take(driven.layer.received(call.invite, from: Trace.flow(transport), now: now), of: index)
      case 2: take(driven.layer.received(try Trace.request("CANCEL", branch: name), from: Trace.flow(transport), now: now), of: index)
      case 3: take(driven.layer.received(try Trace.request("ACK", branch: name), from: Trace.flow(transport), now: now), of: index)
      case 4: take(driven.layer.acknowledged(call.id), of: index)
      default:
        let status = [180, 183, 200, 486, 487, 603][Int(random.next() % 6)]
        take(driven.layer.respond(to: call.id, with: Trace.response(status, to: call.invite), now: now), of: index)
      }
    }
    for index in calls.indices {
      take(driven.layer.respond(to: calls[index].id, with: Trace.response(480, to: calls[index].invite), now: now), of: index)
    }
    driven.run(until: .distantFuture)
    return (driven, calls)
  }

  @Test(arguments: UInt64(1)...40)
  func oneFinalResponseAndOneEnd(_ seed: UInt64) throws {
    let (driven, calls) = try play(seed)
    // An INVITE that comes again after its transaction's end is a new one: then there may be a second final response.
    let begun = driven.log.count { $0.hasSuffix("request INVITE") }
    #expect(calls.reduce(0) { $0 + $1.finals.count } <= begun)
    let cancels = driven.log.count { $0.hasSuffix("cancel") || $0.hasSuffix("request CANCEL") }
    #expect(driven.log.count { $0.hasSuffix("ended") } == begun + cancels)
    #expect(driven.layer.serverCount == 0)
    #expect(try play(seed).driven.log == driven.log)
  }
}
