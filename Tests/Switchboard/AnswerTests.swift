import PhoneContract
import Primitives
import SIP
import Testing

@testable import Switchboard

/// What the 200 to an INVITE holds, byte for byte (RFC 3261 §12.1.1, §13.3.1.4).
@Suite struct AnswerTests {
  /// Line ends, spaces and bytes beyond ASCII as no writer of SDP would make them.
  static let odd = "v=0\no=- 1 1 IN IP4 0.0.0.0\r\ns= \r\na=x:\u{e4}\u{1F4DE}  \r\n\r\n"

  private func answered(_ what: Stage.Invitation, sdp: String = odd) throws -> Stage {
    var stage = Stage()
    stage.setUp("a")
    try stage.invite("1", what)
    stage.phone("a", .fetch(.one, .answer))
    stage.phone("a", .answer(.one, sdp: sdp, confirm: true))
    return stage
  }

  private func ok(_ stage: Stage) throws -> Response { try #require(stage.legs["1"]?.responses.first { $0.status == 200 }) }

  @Test func carriesThePhonesSessionUnchanged() throws {
    let ok = try ok(answered(Stage.Invitation()))
    #expect(ok.message.body.elementsEqual(Self.odd.utf8))
    #expect(ok.message.value(.contentType)?.equals("application/sdp") == true)
  }

  @Test func givesThePhoneTheProvidersSessionUnchanged() throws {
    var what = Stage.Invitation()
    what.sdp = Self.odd
    let stage = try answered(what)
    #expect(stage.board.calls.values.first?.offer?.elementsEqual(Self.odd.utf8) == true)
  }

  @Test func echoesRecordRoute() throws {
    var what = Stage.Invitation()
    what.fields = [
      ("Record-Route", "<sip:p1.example.net;lr>,\"Two\" <sip:p2.example.net;lr;x=1>"), ("Record-Route", "<sip:192.0.2.1;lr>"),
    ]
    var stage = try answered(what)
    let routes = try ok(stage).message.lines(.recordRoute).map(\.text)
    #expect(routes == ["<sip:p1.example.net;lr>,\"Two\" <sip:p2.example.net;lr;x=1>", "<sip:192.0.2.1;lr>"])

    try stage.ack("1")
    stage.phone("a", .hangUp(.one))
    let bye = try #require(stage.legs["1"]?.requests.last)
    #expect(
      bye.message.lines(.route).map(\.text) == ["<sip:p1.example.net;lr>", "\"Two\" <sip:p2.example.net;lr;x=1>", "<sip:192.0.2.1;lr>"])
    #expect(bye.uri.text == "sip:ann@192.0.2.7:5070")
  }

  @Test func namesTheAccountByItsTokenOnly() throws {
    let stage = try answered(Stage.Invitation())
    let contact = try ok(stage).message.value(.contact)?.text
    #expect(contact == "<sip:\(Stage.account)@203.0.113.10:5060;transport=udp>")
    let ringing = try #require(stage.legs["1"]?.responses.first { $0.status == 180 })
    #expect(ringing.message.value(.contact)?.text == contact)
    #expect(try ringing.toTag?.text == ok(stage).toTag?.text)
  }

  @Test func saysWhatItCanDo() throws {
    let ok = try ok(answered(Stage.Invitation()))
    #expect(ok.allow.contains(.update) && ok.allow.contains(.bye) && ok.supports("timer"))
  }

  @Test func tryingHasNoTag() throws {
    let trying = try #require(try answered(Stage.Invitation()).legs["1"]?.responses.first)
    #expect(trying.status == 100)
    #expect(try trying.toTag == nil)
  }

  @Test func isRepeatedUntilTheACK() throws {
    var stage = try answered(Stage.Invitation())
    stage.seen = []
    stage.wait(.milliseconds(500))
    #expect(stage.lines.contains { $0.hasPrefix("[0.5s] provider < 200 INVITE") })
    try stage.ack("1")
    stage.seen = []
    stage.lines = []
    stage.wait(.seconds(20))
    #expect(stage.lines == [])
  }
}
