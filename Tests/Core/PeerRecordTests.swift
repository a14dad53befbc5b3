import Cluster
import HTTP
import Primitives
import Store
import Testing

@testable import Core

/// These bytes stand in the wire between versions.
@Suite struct PeerRecordTests {
  @Test func aGreeting() throws {
    let holder = Holder(node: try #require(NodeID("a")), incarnation: 7)
    let greeting = Greeting(holder: holder, storeAnswers: true)
    #expect(Hex.encode(greeting.record) == "0a050a01611007" + "1001")
    #expect(try Greeting(record: greeting.record) == greeting)
    #expect(Hex.encode(Greeting(holder: nil, storeAnswers: false).record) == "1000")
    let word = StoreWord(unbrokenFor: .seconds(2), answeredAgo: .milliseconds(5))
    let full = Greeting(holder: holder, storeAnswers: true, accounts: 3, store: word, isAsking: false, isHeir: true, sentAt: .ms(1))
    #expect(Hex.encode(full.record) == "0a050a01611007" + "1001" + "1803" + "20d00f" + "2800" + "3005" + "3801" + "40c0843d")
    #expect(try Greeting(record: full.record) == full)
  }

  @Test func aRequest() throws {
    let request = try sample
    #expect(try ForwardedRequest(record: request.record) == request)
    #expect("\(request)" == "ForwardedRequest", "shows nothing of a phone")
    let bare = ForwardedRequest(
      account: request.account, device: request.device, method: "DELETE", path: "/v1/x", query: "", body: [])
    #expect(try ForwardedRequest(record: bare.record) == bare)
  }

  @Test(arguments: [99, 199, 600]) func aStatusThatIsNone(status: Int) {
    let record = ForwardedResponse(HTTPResponse(status: status)).record
    #expect(throws: RecordError.unknownValue(field: 1)) { _ = try ForwardedResponse(record: record) }
  }

  @Test func nothingIsAnAnswer() throws {
    #expect(PassedAnswer(nil).record == [])
    #expect(try PassedAnswer(record: PassedAnswer(nil).record).response == nil)
    #expect(try PassedAnswer(record: PassedAnswer([1]).record).response == [1])
  }

  @Test func spoiltRecords() throws {
    let whole = try sample.record
    for count in 0..<whole.count {
      // A prefix may end between two fields: then what is missing is missing or has a default; nothing else can come of it.
      _ = try? ForwardedRequest(record: whole.prefix(count))
    }
    #expect(throws: RecordError.missing(field: 3)) { _ = try ForwardedRequest(record: [34, 1, 65]) }
    #expect(throws: RecordError.unknownValue(field: 3)) { _ = try ForwardedRequest(record: [26, 1, 120]) }
  }

  private var sample: ForwardedRequest {
    get throws {
      ForwardedRequest(
        account: try #require(AccountID(bytes: Bytes(repeating: 7, count: 16))),
        device: try #require(DeviceID(Base64.urlSafe.encode(Bytes(repeating: 9, count: 32)))), method: "GET",
        path: "/v1/calls/x/status", query: "since=4", body: Bytes(repeating: 1, count: 3), age: .milliseconds(12_000),
        postmark: Postmark(Holder(node: try #require(NodeID("a")), incarnation: 7), at: .ms(1)))
    }
  }
}
