import Primitives
import SIP
import Testing

/// RFC 4475 and RFC 5118: what must be read out of the messages that are well formed.
struct TortureDetailTests {
  private func torture(_ name: String) throws -> Request { try Samples.request("rfc4475/\(name).dat") }

  @Test func wsinv() throws {
    let request = try torture("wsinv")
    #expect(try request.vias.map(\.transport.text) == ["UDP", "TCP", "UDP"])
    #expect(try request.vias.map { $0.branch?.text } == ["390skdjuw", "z9hG4bK9ikj8", "z9hG4bK30239"])
    #expect(try request.topVia.hasUniqueBranch == false)
    #expect(try request.from.displayName?.text == "J Rosenberg \\\"")
    #expect(try request.fromTag?.text == "98asjd8")
    #expect(try request.toTag?.text == "1918181833n")
    #expect(try request.cseq == CSeq(number: 9, method: .invite))
    #expect(try request.maxForwards == 68)
    #expect(try request.contacts.map { $0.displayName?.text } == ["Quoted string \"\""])
    #expect(try request.contacts[0].parameters["q"]?.text == "0.33")
    #expect(try request.contacts[0].parameters["secondparam"]?.isEmpty == true)
    #expect(request.message.value(.subject)?.isEmpty == true)
    #expect(try URI(request.routes[0].uri).isLooseRouter)
    #expect(try request.sessionDescription?.count == 150)
  }

  @Test func intmeth() throws {
    let request = try torture("intmeth")
    #expect(request.method == Method("!interesting-Method0123456789_*+`.%indeed'~".utf8.map { $0 }))
    #expect(try request.to.displayName == Array("BEL:\u{7} NUL:\0 DEL:\u{7F}".utf8))
    #expect(try request.from.displayName?.text == "token1~` token2'+_ token3*%!.-")
    #expect(try request.fromTag?.text == "_token~1'+`*%!-.")
    let uri = try URI(request.uri)
    #expect(uri.user?.text == "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*")
    #expect(uri.password?.text == "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)")
    #expect(uri.host?.text == "example.com")
  }

  @Test func escapes() throws {
    let request = try torture("esc01")
    let uri = try URI(request.uri)
    #expect(uri.scheme == .sip && uri.host?.text == "example.net")
    #expect(uri.unescapedUser?.text == "sips:user@example.com")
    #expect(try URI(request.to.uri).matches(URI(slice("sip:user@example.com"))))
    #expect(try URI(request.contacts[0].uri).isLooseRouter)
    #expect(Caller(of: request).number == "I have spaces")
  }

  @Test func escapedNulls() throws {
    let request = try torture("escnull")
    #expect(try request.contacts.map { try URI($0.uri).unescapedUser } == [[0], [0, 0]])
    #expect(Caller(of: request).number == "null--null")
  }

  @Test func percentInMethodIsNoEscape() throws {
    let request = try torture("esc02")
    #expect(request.method == .other(Array("RE%47IST%45R".utf8)))
    #expect(try request.from.displayName?.text == "%Z%45")
    #expect(try request.contacts.count == 2)
  }

  @Test func longValues() throws {
    let request = try torture("longreq")
    #expect(try request.vias.count == 34)
    #expect(try request.vias.last?.received == IPAddress("192.0.2.5"))
    let response = Response.make(to: request, status: 404, toTag: Array("x".utf8))
    #expect(response.message.lines(.via) == request.message.lines(.via))
  }

  @Test func separators() throws {
    #expect(try torture("lwsdisp").from.displayName?.text == "caller")
    #expect(try URI(torture("semiuri").uri).user?.text == "user;par=u%40example.net")
    #expect(try torture("transports").vias.map(\.transport.text) == ["UDP", "SCTP", "TLS", "UNKNOWN", "TCP"])
    #expect(try torture("cparam01").contacts[0].parameters.has("unknownparam"))
    #expect(try !torture("cparam02").contacts[0].parameters.has("unknownparam"))
    #expect(try URI(torture("cparam02").contacts[0].uri).parameters.has("unknownparam"))
    #expect(try URI(torture("regescrt").contacts[0].uri).headers.text == "Route=%3Csip:sip.example.com%3E")
  }

  @Test func bodies() throws {
    #expect(try torture("mpart01").message.body.count == 553)
    #expect(try torture("dblreq").message.body.isEmpty && !torture("dblreq").message.raw.contains(subsequence: "INVITE"))
    #expect(throws: SIPError(status: 415, fault: .body)) { try torture("invut").sessionDescription }
    #expect(try torture("sdp01").acceptsSDP == false)
    #expect(try torture("wsinv").acceptsSDP)
  }

  @Test func forTheLayerAbove() throws {
    #expect(try torture("bext01").require.map(\.text) == ["nothingSupportsThis", "nothingSupportsThisEither"])
    #expect(try torture("zeromf").maxForwards == 0)
    #expect(try torture("badbranch").topVia.hasUniqueBranch == false)
    #expect(Caller(of: try torture("unksm2")).number == nil)
    #expect(try Samples.response("rfc4475/scalarlg.dat").retryAfter == .max)
    #expect(try Samples.response("rfc4475/noreason.dat").reason.isEmpty)
    #expect(try Samples.response("rfc4475/unreason.dat").reason.text.hasPrefix("= 2**3 * 5**2 но"))
  }

  @Test func ipv6() throws {
    let ambiguous = try URI(Samples.request("rfc5118/port-ambiguous.dat").uri)
    #expect(ambiguous.hostPort?.address == IPAddress("2001:db8::10:5070") && ambiguous.port == nil)
    #expect(try URI(Samples.request("rfc5118/port-unambiguous.dat").uri).port == 5070)
    for file in ["via-received-param-with-delim", "via-received-param-no-delim"] {
      #expect(try Samples.request("rfc5118/\(file).dat").topVia.received == IPAddress("2001:db8::9:255"))
    }
    let mapped = try Samples.request("rfc5118/ipv4-mapped-ipv6.dat")
    #expect(try mapped.topVia.sentBy.address == IPAddress("192.0.2.10") && mapped.topVia.sentBy.port == 19823)
    #expect(try mapped.topVia.sentBy.host.text == "[::ffff:192.0.2.10]")
  }
}
