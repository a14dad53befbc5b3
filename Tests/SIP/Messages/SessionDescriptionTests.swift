import Primitives
import SIP
import Testing

/// The SDP in a body.
struct SessionDescriptionTests {
  private func found(_ type: String, _ body: String, _ more: String = "") throws -> String? {
    let head = "INVITE sip:a@example.com SIP/2.0\n\(more)Content-Type: \(type)\n\n"
    return try Samples.request(message(head) + message(body)).sessionDescription?.text
  }

  @Test(arguments: ["multipart/mixed;boundary=b", #"multipart/related; boundary="b""#, #"Multipart/Mixed ; Boundary = "b" ; x=y"#])
  func multipart(_ type: String) throws {
    let body = "preamble\n--b\nContent-Type: text/plain\n\nx\n--bc\n--b\nContent-Type: application/sdp\n\nv=0\ns=-\n\n--b-- \nend\n"
    #expect(try found(type, body) == "v=0\r\ns=-\r\n")
  }

  @Test func nestedAndUnended() throws {
    let inner = "Content-Type: multipart/mixed;boundary=c\n\n--c\nContent-Type: application/sdp\n\nv=0\n--c--\n"
    #expect(try found("multipart/mixed;boundary=b", "--b\n\(inner)\n--b--\n") == "v=0")
    #expect(try found("multipart/mixed;boundary=b", "--b\nContent-Type: application/sdp\n\nv=0\n") == "v=0\r\n")
    #expect(try found("multipart/mixed;boundary=b", "--b--\n") == nil)
    #expect(try found("multipart/mixed;boundary=b", "--b\n\nno fields\n--b--\n") == nil)
  }

  @Test func whatMustBeUnderstood() throws {
    let part = "--b\nContent-Type: application/x\nContent-Disposition: signal;handling="
    let unsupported = SIPError(status: 415, fault: .body)
    #expect(throws: unsupported) { try found("multipart/mixed;boundary=b", part + "required\n\nx\n--b--\n") }
    #expect(try found("multipart/mixed;boundary=b", part + "optional\n\nx\n--b--\n") == nil)
    #expect(throws: unsupported) { try found("text/plain", "x") }
    #expect(try found("text/plain", "x", "Content-Disposition: render;handling=optional\n") == nil)
    #expect(throws: unsupported) { try found("application/sdp", "x", "Content-Encoding: gzip\n") }
    #expect(throws: SIPError(status: 400, fault: .body)) { try found("multipart/mixed", "x") }
  }
}
