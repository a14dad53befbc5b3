import PhoneContract
import Primitives
import Testing

@Suite struct ReplyTests {
  @Test func membersThatAreNullAreWritten() {
    #expect(FetchReply(line: .one, offer: nil).json.text == #"{"line":1,"offer":null}"#)
    #expect(FetchReply(line: .two, offer: "v=0\r\na=\"/\"\r\n").json.text == #"{"line":2,"offer":"v=0\r\na=\"/\"\r\n"}"#)
    #expect(AnswerReply(sdp: nil).json.text == #"{"sdp":null}"#)
  }

  @Test func eventsAreWrittenAsTheContractSays() throws {
    let reply = StatusReply(
      next: 4,
      events: [
        Event(seq: 1, kind: .offer(id: "a", sdp: nil)), Event(seq: 2, kind: .offerWithdrawn), Event(seq: 3, kind: .ended(.statusLost)),
      ])
    let json =
      #"{"events":[{"id":"a","sdp":null,"seq":1,"type":"offer"},{"seq":2,"type":"offer-withdrawn"},{"seq":3,"type":"ended","why":"status-lost"}],"next":4}"#
    #expect(reply.json.text == json)
    #expect(try StatusReply(json: reply.json) == reply)
    #expect(try StatusReply(json: Array(#"{"next":1,"events":[{"seq":1,"type":"new"}]}"#.utf8)).events.first?.kind == .other(type: "new"))
  }

  @Test func theSetUpStateIsWrittenAndRead() throws {
    let moment = Instant.zero + .seconds(1_796_040_000)
    let state = SetUpState(
      serverName: "plus.example.net", device: "d", slots: 4, answeredCalls: 2,
      registration: .init(state: .credentialsNeeded, transport: nil, challenges: [ChallengeBody(realm: "r", algorithm: "MD5-sess")]),
      devices: [.init(id: "d", name: nil, isThis: true, push: .gone, lastActive: Timestamp(moment))])
    let json =
      #"{"answered_calls":2,"device":"d","devices":[{"id":"d","last_active":"2026-11-30T12:00:00Z","name":null,"push":"gone","this":true}],"#
      + #""registration":{"challenges":[{"algorithm":"MD5-sess","realm":"r"}],"retry_after":null,"state":"credentials-needed","transport":null},"#
      + #""server_name":"plus.example.net","slots":4}"#
    #expect(state.json.text == json)
    #expect(try SetUpState(json: state.json) == state)
  }

  @Test func theProbesReply() throws {
    let reply = ProbeReply(transport: .tls, challenges: [ChallengeBody(realm: "r", algorithm: "SHA-256")])
    #expect(reply.json.text == #"{"challenges":[{"algorithm":"SHA-256","realm":"r"}],"transport":"tls"}"#)
    #expect(try ProbeReply(json: reply.json) == reply)
  }

  @Test(arguments: [
    (Int64(0), "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_709_251_199, "2024-02-29T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"), (1_796_040_000, "2026-11-30T12:00:00Z"),
  ])
  func timestamps(seconds: Int64, text: String) {
    #expect(Timestamp(.zero + .seconds(seconds)).text == text)
    #expect(Timestamp(text)?.seconds == seconds)
  }

  @Test(arguments: ["", "2026-11-30 12:00:00Z", "2026-13-30T12:00:00Z", "2026-11-30T12:00:00+00:00", "2026-11-30T24:00:00Z"])
  func noTimestamp(text: String) { #expect(Timestamp(text) == nil) }
}
