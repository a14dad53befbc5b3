import Primitives
import SIP
import Testing

/// Who is shown as the caller.
struct CallerTests {
  private func caller(from: String = "<sip:1@example.com>;tag=1", _ lines: String...) throws -> Caller {
    let head = "INVITE sip:a@example.com SIP/2.0\nFrom: \(from)\n"
    return Caller(of: try Samples.request(message(head + lines.map { $0 + "\n" }.joined() + "\n")))
  }

  @Test func assertedBeforeRemotePartyBeforeFrom() throws {
    let rpid = #"Remote-Party-ID: "R" <sip:2@example.com>;party=calling;privacy=off"#
    #expect(try caller().number == "1")
    #expect(try caller(rpid).name == "R")
    #expect(try caller(rpid, "P-Asserted-Identity: <sip:3@example.com>").number == "3")
    #expect(try caller(rpid, "P-Asserted-Identity: <sip:3@example.com>").name == nil)
    #expect(try caller("P-Asserted-Identity: nonsense <", rpid).number == "2")
  }

  @Test func telBeforeSipAndTheNameOfEither() throws {
    let asserted = try caller(#"P-Asserted-Identity: "N" <sip:3@example.com>, <tel:+44-1632;phone-context=x>"#)
    #expect(asserted.number == "+44-1632" && asserted.name == "N")
  }

  @Test(arguments: ["id", "user", "header", "critical; id", "session;USER"])
  func privacy(_ value: String) throws {
    #expect(try caller("Privacy: \(value)") == .withheld)
  }

  @Test(arguments: ["none", "session", "critical"])
  func otherPrivacy(_ value: String) throws {
    #expect(try caller("Privacy: \(value)").number == "1")
  }

  @Test func anonymous() throws {
    #expect(try caller(from: "<sip:x@anonymous.invalid>;tag=1") == .withheld)
    #expect(try caller(from: "<sip:Anonymous@example.com>;tag=1") == .withheld)
    #expect(try caller("P-Asserted-Identity: <sip:anonymous@anonymous.invalid>") == .withheld)
    #expect(try caller("Remote-Party-ID: <sip:2@example.com>;privacy=full") == .withheld)
  }

  @Test func userParts() throws {
    #expect(try caller(from: "<sip:%2B49221;phone-context=example.com@example.com;user=phone>").number == "+49221")
    #expect(try caller(from: "<sip:example.com>").number == nil)
    #expect(try caller(from: "<http://example.com/>").number == nil)
  }

  @Test func textIsMadeFit() throws {
    #expect(try caller(from: "\"a\u{202E}b\u{7}\u{85}\u{2066}c \" <sip:1@example.com>").name == "abc")
    #expect(try caller(from: "\"\u{202E}\" <sip:1@example.com>").name == nil)
    var bytes = message("INVITE sip:a@example.com SIP/2.0\nFrom: \"x?y\" <sip:1@example.com>\n\n")
    let place = try #require(bytes.lastIndex(of: UInt8(ascii: "?")))
    bytes[place] = 0xFF
    #expect(Caller(of: try Samples.request(bytes)).name == "x\u{FFFD}y")
  }
}
