import Primitives
import SIP
import Testing

/// RFC 3261 §19.1.4, with its own examples.
struct URIComparisonTests {
  private func matches(_ left: String, _ right: String) throws -> Bool {
    let (left, right) = try (URI(slice(left)), URI(slice(right)))
    #expect(left.matches(right) == right.matches(left))
    return left.matches(right)
  }

  @Test(arguments: [
    ("sip:%61lice@atlanta.com;transport=TCP", "sip:alice@AtLanTa.CoM;Transport=tcp"),
    ("sip:carol@chicago.com", "sip:carol@chicago.com;newparam=5"),
    ("sip:carol@chicago.com;security=on", "sip:carol@chicago.com;newparam=5"),
    (
      "sip:biloxi.com;transport=tcp;method=REGISTER?to=sip:bob%40biloxi.com",
      "sip:biloxi.com;method=REGISTER;transport=tcp?to=sip:bob%40biloxi.com"
    ),
    ("sip:alice@atlanta.com?subject=project%20x&priority=urgent", "sip:alice@atlanta.com?priority=urgent&subject=project%20x"),
    ("sip:a@[2001:db8::1]", "sip:a@[2001:DB8:0::1]"), ("tel:+49-30.1", "tel:+49301"), ("urn:a", "urn:a"),
  ])
  func same(_ left: String, _ right: String) throws { #expect(try matches(left, right)) }

  @Test(arguments: [
    ("SIP:ALICE@AtLanTa.CoM;Transport=udp", "sip:alice@AtLanTa.CoM;Transport=UDP"), ("sip:bob@biloxi.com", "sip:bob@biloxi.com:5060"),
    ("sip:bob@biloxi.com", "sip:bob@biloxi.com;transport=udp"), ("sip:bob@biloxi.com", "sip:bob@biloxi.com:6000;transport=tcp"),
    ("sip:carol@chicago.com", "sip:carol@chicago.com?Subject=next%20meeting"), ("sip:bob@phone21.boxesbybob.com", "sip:bob@192.0.2.4"),
    ("sip:carol@chicago.com;security=on", "sip:carol@chicago.com;security=off"), ("sip:a@example.com", "sips:a@example.com"),
    ("sip:example.com", "sip:a@example.com"),
  ])
  func different(_ left: String, _ right: String) throws { #expect(try !matches(left, right)) }

  @Test(arguments: [
    "", "sip", "sip:", "sip:@a", "sip:a@", "sip:a@b@c", "sip:a@b:", "sip:a@b:65536", "sip:a@b:x", "sip:a b@c", "sip:a%4@c", "sip:a@[::1",
    "sip:a@[::1]]",
    "sip:a@[1.2.3.4]", "tel:", "1a:b", "sip:a@b;=c", "sip:a@b>",
  ])
  func malformed(_ text: String) { #expect(throws: SIPError.self) { try URI(slice(text)) } }
}

struct ViaTests {
  private static let text = "SIP/2.0/UDP 192.0.2.1:5062;rport;branch=z9hG4bK1;received=1.1.1.1"
  private static let source = SocketAddress(ip: .loopbackIPv4, port: 4000)

  private func request(_ vias: String) throws -> Request {
    try Samples.request(message("OPTIONS sip:a SIP/2.0\nMax-Forwards: 7\n\(vias)\nTo: <sip:a>\nl: 2\n\nhi"))
  }

  /// RFC 3581 §4: the source is told in the top value, and nothing else moves.
  @Test func stamping() throws {
    let stamped = try request("v : \(Self.text) ,\n SIP/2.0/TCP b \nVia: SIP/2.0/TLS c").stamped(source: Self.source)
    #expect(
      stamped.message.raw
        == message(
          "OPTIONS sip:a SIP/2.0\nMax-Forwards: 7\nVia: SIP/2.0/UDP 192.0.2.1:5062;branch=z9hG4bK1;received=127.0.0.1;rport=4000, SIP/2.0/TCP b\n"
            + "Via: SIP/2.0/TLS c\nTo: <sip:a>\nl: 2\n\nhi"))
    #expect(try stamped.vias.map(\.transport.text) == ["UDP", "TCP", "TLS"])
    #expect(try stamped.topVia.rport == 4000 && stamped.to.uri.text == "sip:a" && stamped.message.body.text == "hi")
    #expect(stamped.uri.text == "sip:a")
  }

  @Test func nothingToStamp() throws {
    let same = try request("Via: SIP/2.0/UDP 127.0.0.1")
    #expect(try same.stamped(source: Self.source) == same)
    let named = try request("Via: SIP/2.0/UDP host").stamped(source: Self.source)
    #expect(try named.topVia.received == .loopbackIPv4 && named.topVia.wantsRport == false)
  }

  @Test func inserting() throws {
    let request = try request("Via: SIP/2.0/TLS c").inserting(.via, slice(Self.text))
    #expect(try request.vias.count == 2 && request.topVia.branch?.text == "z9hG4bK1")
    #expect(try MessageParser.parse(request.message.raw) == .request(request))
    #expect(try request.maxForwards == 7 && request.message.body.text == "hi")
  }

  @Test(arguments: [
    "", ";", "SIP/2.0", "SIP/2.0/UDP", "SIP/2.0/UDP ", "SIP/2.0/UDP a b", "SIP/2.0/UDP 2001:db8::1", "HTTP/1.1/UDP a",
    "SIP/2.0/UDP a;x=\"y",
  ])
  func malformed(_ text: String) {
    #expect(throws: SIPError(status: 400, fault: .malformed(.via))) { try Via(slice(text)) }
  }
}

struct NameAddressTests {
  @Test func withoutBracketsParametersAreTheHeaders() throws {
    let address = try NameAddress(slice("sip:a@b;tag=1"))
    #expect(address.uri.text == "sip:a@b" && address.tag?.text == "1" && address.displayName == nil)
    #expect(try NameAddress(slice("\"\" <sip:a@b;tag=2>;tag=1")).tag?.text == "1")
    let instance = try NameAddress(slice("sip:a@b;+sip.instance=\"<urn:uuid:1>\""))
    #expect(instance.uri.text == "sip:a@b" && instance.parameters["+sip.instance"]?.text == "<urn:uuid:1>")
  }

  @Test(arguments: ["", "\"a <sip:b>", "<sip:b", "<>", "a b", "a \"b\" <sip:c>", "sip:a?b=c", "<sip:a> b", "<sip:a>;x=\"", "<sip:a>;=1"])
  func malformed(_ text: String) { #expect(throws: SIPError.self) { try NameAddress(slice(text)) } }

  @Test func headerNames() {
    for name in HeaderName.allCases where name != .unknown {
      let line = "OPTIONS sip:a SIP/2.0\n\(name.text): 0\n\n".uppercased()
      #expect((try? Samples.request(message(line)))?.message.has(name) == true)
    }
  }
}

/// RFC 3261 §8.2.6.
struct ResponseMakingTests {
  private static let invite = message(
    "INVITE sip:a SIP/2.0\nv: SIP/2.0/UDP x\nf: <sip:f>;tag=1\nt: <sip:t>\ni: 1\nCSeq: 1 INVITE\nTimestamp: 5\nRecord-Route: <sip:r>\n\n")

  private func made(_ status: Int) throws -> Response {
    Response.make(to: try Samples.request(Self.invite), status: status, toTag: slice("9").map { $0 })
  }

  @Test func trying() throws {
    #expect(try made(100).toTag == nil && made(100).message.has(.timestamp) && !made(100).message.has(.recordRoute))
    #expect(
      try made(100).message.raw
        == message(
          "SIP/2.0 100 Trying\nVia: SIP/2.0/UDP x\nFrom: <sip:f>;tag=1\nTo: <sip:t>\nCall-ID: 1\nCSeq: 1 INVITE\nTimestamp: 5\nContent-Length: 0\n\n"
        ))
  }

  @Test func others() throws {
    #expect(try made(180).toTag?.text == "9" && made(180).message.has(.recordRoute) && !made(180).message.has(.timestamp))
    #expect(try made(404).reason.text == "Not Found" && !made(404).message.has(.recordRoute))
    #expect(try MessageParser.parse(made(200).message.raw) == .response(made(200)))
    #expect(try made(699).reason.isEmpty)
  }
}
