import Primitives
import Testing

@testable import SIP

struct MessageRecordTests {
  /// Every message file that is one.
  @Test func messagesAreReadBack() throws {
    var count = 0
    for folder in ["provider-messages", "rfc3665"] {
      for file in try Samples.files(folder, ".sip") {
        switch try? MessageParser.parse(Samples.bytes(file)) {
        case .request(let request):
          #expect(try Request(record: request.record) == request)
          #expect(throws: RecordError.malformed) { try Response(record: request.record) }
        case .response(let response):
          #expect(try Response(record: response.record) == response)
          #expect(throws: RecordError.malformed) { try Request(record: response.record) }
        case nil: continue
        }
        count += 1
      }
    }
    #expect(count > 200)
  }

  @Test func messagesOfOursAreReadBack() throws {
    let invite = try Trace.request(more: "Record-Route: <sip:a;lr>\n").stamped(source: Trace.provider)
    #expect(try Request(record: invite.record) == invite)
    #expect(try ServerTransactionID(Request(record: invite.record)) == ServerTransactionID(invite))
    let ok = Trace.response(200, to: invite, more: "Contact: <sip:b@192.0.2.10>")
    #expect(try Response(record: ok.record) == ok)
  }

  @Test func whatIsNoMessageIsRefused() {
    var writer = RecordWriter()
    writer.write(1, "INVITE sip:a SIP/2.0 and no end")
    #expect(throws: RecordError.malformed) { try Request(record: writer.bytes) }
    #expect(throws: RecordError.missing(field: 1)) { try Request(record: []) }
  }

  @Test func transactionIDs() throws {
    for branch in ["z9hG4bKa1", "1", nil] {
      let id = try ServerTransactionID(Trace.request("UPDATE", branch: branch))
      #expect(try ServerTransactionID(record: id.record) == id)
    }
  }

  @Test func flows() throws {
    let six = try SocketAddress(ip: #require(IPAddress("2001:db8::1")), port: 65535)
    var flow = Trace.flow(.tls)
    for transport in Transport.allCases {
      (flow.transport, flow.connection) = (transport, transport == .udp ? 0 : .max)
      flow.remote = transport == .tls ? six : flow.remote
      #expect(try Flow(record: flow.record) == flow)
    }
    #expect(try SocketAddress(record: six.record) == six)
  }

  @Test func addressesThatAreNoneAreRefused() {
    func address(_ ip: Bytes, _ port: UInt64) -> Bytes {
      var writer = RecordWriter()
      writer.write(1, ip)
      writer.write(2, port)
      return writer.bytes
    }
    #expect(throws: RecordError.wrongType(field: 1)) { try SocketAddress(record: address([1, 2, 3], 1)) }
    #expect(throws: RecordError.unknownValue(field: 2)) { try SocketAddress(record: address([1, 2, 3, 4], 65536)) }
  }
}
