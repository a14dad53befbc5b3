import Primitives
import Testing

@testable import SIP

/// RFC 3261 §12.
struct DialogTests {
  private let contact = Bytes("<sip:tok@192.0.2.10:5061;transport=tls>".utf8)

  private func routes(_ request: Request) throws -> [String] { try request.routes.map(\.raw.text) }

  @Test func anAcceptedInviteMakesADialog() throws {
    let invite = try Samples.request("provider-messages/i06-twilio-private-contact.sip")
    var dialog = try Dialog(accepting: invite, localTag: [116])
    let bye = dialog.request(.bye)
    #expect(bye.uri.text == "sip:+12025550102@172.18.60.152:5060;transport=udp")
    #expect(try routes(bye) == invite.recordRoutes.map(\.raw.text))
    #expect(dialog.nextHop.text.hasPrefix("sip:198.51.100.51"))
    #expect(try bye.fromTag?.text == "t" && bye.cseq == CSeq(number: 1, method: .bye))
    #expect(try dialog.request(.info, contact: contact, body: Bytes("x".utf8)).cseq.number == 2)
  }

  @Test func routesOfTheCalledSideKeepTheirOrder() throws {
    let invite = try Samples.request("provider-messages/i04-telnyx-did-three-record-routes.sip")
    var dialog = try Dialog(accepting: invite, localTag: [116])
    #expect(try routes(dialog.request(.bye)) == invite.recordRoutes.map(\.raw.text))
    #expect(try invite.recordRoutes.count == 3)
  }

  @Test func routesOfTheCallingSideAreReversed() throws {
    let invite = try Trace.request()
    let ok = Trace.response(200, to: invite, more: "Record-Route: <sip:b;lr>, <sip:a;lr>\nContact: <sip:bob@192.0.2.4>")
    var dialog = try Dialog(of: invite, answeredBy: ok)
    #expect(dialog.id == Dialog.ID(callID: Bytes("c1".utf8), localTag: Bytes("f1".utf8), remoteTag: Bytes("t1".utf8)))
    let ack = dialog.ack(cseq: 1)
    #expect(try routes(ack) == ["<sip:a;lr>", "<sip:b;lr>"] && ack.uri.text == "sip:bob@192.0.2.4")
    #expect(try ack.cseq == CSeq(number: 1, method: .ack) && ack.toTag?.text == "t1")
    #expect(try dialog.request(.bye).cseq.number == 2)
  }

  @Test func aStrictRouterFindsItselfInTheRequestURI() throws {
    let invite = try Samples.request("provider-messages/i07-3cx-strict-route.sip")
    let router = try #require(try invite.recordRoutes.first?.uri)
    var dialog = try Dialog(accepting: invite, localTag: [116])
    let bye = dialog.request(.bye)
    #expect(bye.uri == router && dialog.nextHop == Array(router))
    #expect(try routes(bye).last == "<" + invite.contacts[0].uri.text + ">")
  }

  @Test func strictRoutingLosesTheHeadersOfTheRoute() throws {
    let invite = try Trace.request(more: "Record-Route: <sip:s@r1?x=y>, <sip:r2;lr>\n")
    var dialog = try Dialog(accepting: invite, localTag: [116])
    let bye = dialog.request(.bye)
    #expect(bye.uri.text == "sip:s@r1")
    #expect(try routes(bye) == ["<sip:r2;lr>", "<sip:ann@203.0.113.10:5060>"])
  }

  @Test func requestsOfTheDialogAreRecognised() throws {
    let dialog = try Dialog(accepting: Trace.request(), localTag: Bytes("t1".utf8))
    #expect(try Dialog.ID(of: Trace.request("BYE", toTag: "t1")) == dialog.id)
    #expect(try Dialog.ID(of: Trace.request("BYE", toTag: "t2")) != dialog.id)
    #expect(try Dialog.ID(of: Trace.request()) == nil)
  }

  @Test func cseqOnlyGrows() throws {
    var dialog = try Dialog(accepting: Trace.request(cseq: 5), localTag: Bytes("t1".utf8))
    #expect(try dialog.received(Trace.request("INFO", cseq: 9, toTag: "t1")) == .accept)
    #expect(try dialog.received(Trace.request("BYE", cseq: 8, toTag: "t1")) == .outOfOrder)
    #expect(try dialog.received(Trace.request("ACK", cseq: 5, toTag: "t1")) == .accept)
    #expect(dialog.remoteCSeq == 9)
  }

  @Test func theTargetIsRefreshed() throws {
    var dialog = try Dialog(accepting: Trace.request(), localTag: Bytes("t1".utf8))
    let update = try Samples.request("provider-messages/d04-update-refresh.sip")
    dialog.refreshTarget(from: update)
    #expect(try dialog.target == Array(update.contacts[0].uri))
    dialog.refreshTarget(from: try Trace.request("OPTIONS", more: "Contact: <sip:x@y>\n"))
    #expect(try dialog.target == Array(update.contacts[0].uri))
  }

  @Test func withoutAContactThereIsNoDialog() throws {
    let invite = try Samples.request(
      message(
        "INVITE sip:a@b SIP/2.0\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\nFrom: <sip:a@b>;tag=1\nTo: <sip:a@b>\nCall-ID: 1\nCSeq: 1 INVITE\n\n"))
    #expect(throws: SIPError(status: 400, fault: .missing(.contact))) { try Dialog(accepting: invite, localTag: [116]) }
  }
}
