import Foundation
import Primitives
import SIP
import Testing

/// Messages as providers send them. The right treatment of each is in the folder's `index.json`; here what of it is reading.
struct ProviderMessageTests {
  private func provider(_ name: String) throws -> Request { try Samples.request("provider-messages/\(name).sip") }
  private func answer(_ name: String) throws -> Response { try Samples.response("provider-messages/\(name).sip") }

  @Test func allAreAccepted() throws {
    for file in try Samples.files("provider-messages", ".sip") {
      // The marks stand where a running transaction's values go.
      let bytes = message(
        try Samples.bytes(file).text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "@@CSEQ@@", with: "1")
          .replacingOccurrences(of: "@@", with: "x"))
      let raw = try Samples.bytes(file)
      #expect(Verdict(raw.contains(subsequence: "@@") ? bytes : raw) == .accepted, "\(file)")
    }
  }

  @Test(arguments: [
    ("i01-telekom-mavodi", "+492214710001", nil), ("i04-telnyx-did-three-record-routes", "12025550100", "12025550100"),
    ("i19-tel-uri-from-to", "+492214710019", nil), ("i21-two-pai-headers", "+492214710021", "Muster GmbH"),
    ("i22-pai-folded-tab", "+492214710022", "Who, Dr"), ("i24-comma-in-quotes", "12025550124", "THOMPSON,ALICE"),
    ("i25-utf8-name", "+492214710025", "Jürgen Müller-Ångström ✆ 📞"), ("i26-utf8-unquoted-name", "+492214710026", "中文字符"),
    ("i28-escaped-quotes", "+12025550128", #"John "The Duke" Wayne; <sip:evil@example.com>"#),
    ("i30-diversion-chain", "+61255501827", nil),
  ])
  func caller(_ name: String, _ number: String, _ shown: String?) throws {
    let caller = Caller(of: try provider(name))
    #expect(caller.number == number && caller.name == shown && !caller.isWithheld)
  }

  @Test func anonymousCallerIsWithheld() throws {
    #expect(Caller(of: try provider("i02-anonymous-privacy-id")) == .withheld)
  }

  @Test func recordRoutesKeepTheirOrderInTheAnswer() throws {
    let request = try provider("i04-telnyx-did-three-record-routes")
    #expect(
      try request.recordRoutes.map(\.uri.text) == [
        "sip:192.0.2.120:5061;transport=tls;r2=on;lr;ftag=DcmZemB1HQjQr", "sip:10.255.0.1;r2=on;lr;ftag=DcmZemB1HQjQr",
        "sip:10.13.203.184:6050;lr;tnx=ac1.c922",
      ])
    let ok = Response.make(to: request, status: 200, toTag: [65])
    #expect(ok.message.lines(.recordRoute) == request.message.lines(.recordRoute))
    #expect(try !URI(provider("i07-3cx-strict-route").recordRoutes[0].uri).isLooseRouter)
    #expect(try URI(provider("i06-twilio-private-contact").recordRoutes[0].uri).parameters["twnat"]?.text == "sip:192.0.2.10:5061")
  }

  @Test func sessionDescriptions() throws {
    let plain = try provider("i37-srtp-offer-two-m-lines")
    #expect(try plain.sessionDescription == plain.message.body)
    let part = try #require(try provider("i09-sonus-multipart-isup").sessionDescription)
    #expect(part.elementsEqual(try provider("i02-anonymous-privacy-id").message.body))
    #expect(try provider("i11-genesys-no-sdp").sessionDescription == nil)
    #expect(try provider("i12-no-sdp-but-content-type").sessionDescription == nil)
    #expect(try provider("i35-lowercase-odd-spacing").sessionDescription?.count == 232)
    #expect(try provider("d11-ack-with-answer").sessionDescription?.count == 232)
  }

  @Test func options() throws {
    #expect(try provider("i13a-supported-100rel").supports("100rel"))
    #expect(try provider("i13b-require-100rel").require.map(\.text) == ["100rel"])
    #expect(try provider("i15-require-precondition").require.map(\.text) == ["100rel", "precondition"])
    #expect(try provider("i01-telekom-mavodi").supports("timer"))
    #expect(try provider("i01-telekom-mavodi").sessionExpires == SessionExpires(seconds: 1800, refresher: .uac))
    #expect(try provider("i01-telekom-mavodi").minSE == 900)
    #expect(try provider("i13a-supported-100rel").allow.contains(.update))
    #expect(try provider("i34-multiple-identity-long").message.raw.count == 2940)
    #expect(try URI(provider("d09-options-no-user").uri).user == nil)
  }

  @Test func registrarAnswers() throws {
    #expect(try answer("r09-423").minExpires == 3600)
    #expect(try answer("r18-503-retry-after").retryAfter == 120)
    #expect(try answer("r21-420-register").unsupported.map(\.text) == ["path", "outbound"])
    #expect(try answer("r11-200-expires-header-only").expires == 600)
    #expect(try answer("r11-200-expires-header-only").contacts[0].expires == nil)
    #expect(try answer("r14-200-no-contact").contacts.isEmpty)
    let bindings = try answer("r10-200-three-bindings").contacts
    let ours = try URI(slice("sip:p1a7c3e9@192.0.2.10:5061;transport=tls"))
    #expect(try bindings.filter { try URI($0.uri).matches(ours) }.map(\.expires) == [60])
    #expect(bindings.map(\.expires) == [3561, 60, 1200])
    let ims = try answer("r15-200-ims")
    #expect(try ims.serviceRoutes.count == 3 && ims.associatedURIs.count == 3)
    #expect(try ims.contacts[0].parameters["pub-gruu"]?.text == "sip:+493023125001@sip.example.net;gr=urn:uuid:f81d4fae")
    #expect(try answer("r01-401-sha256-md5-md2").message.lines(.wwwAuthenticate).count == 3)
  }
}

/// RFC 3665: every message of every flow.
struct FlowMessageTests {
  @Test func allAreAccepted() throws {
    for file in try Samples.files("rfc3665", ".sip") where !file.hasSuffix("3_10-F04.sip") {
      switch try MessageParser.parse(Samples.bytes(file)) {
      case .request(let request): try request.validated()
      // Responses between proxies have the Via of all of them.
      case .response(let response): #expect(try !response.vias.isEmpty && response.cseq.number > 0, "\(file)")
      }
    }
  }

  /// The RFC forgot the white space that would make the second line of this Record-Route a continuation.
  @Test func theOneThatTheRFCGotWrong() throws {
    #expect(Verdict(try Samples.bytes("rfc3665/3_10-F04.sip")) == .refused(400))
  }
}
