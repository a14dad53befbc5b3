import Primitives
import SIP
import Testing

/// RFC 4475 and RFC 5118: what this server's parser and validation say to each message in a datagram. Verdicts of the layer above
/// (404, 405, 406, 415, 420, 481) have their preconditions in `TortureDetailTests`.
struct TortureVerdictTests {
  @Test(arguments: [
    "wsinv", "intmeth", "esc01", "escnull", "esc02", "lwsdisp", "longreq", "dblreq", "semiuri", "transports", "mpart01", "unreason",
    "noreason", "baddate", "badbranch", "unksm2", "bext01", "invut", "regaut01", "zeromf", "cparam01", "cparam02", "regescrt", "sdp01",
  ])
  func accepted(_ name: String) throws {
    #expect(Verdict(try Samples.bytes("rfc4475/\(name).dat")) == .accepted)
  }

  @Test(arguments: [
    "badinv01", "clerr", "ncl", "scalar02", "quotbal", "ltgtruri", "lwsruri", "lwsstart", "trws", "escruri", "regbadct", "badaspec",
    "baddn", "baddn-complete", "mismatch01", "mismatch02", "multi01", "mcl01", "inv2543",
  ])
  func badRequest(_ name: String) throws {
    #expect(Verdict(try Samples.bytes("rfc4475/\(name).dat")) == .refused(400))
  }

  @Test(arguments: [("badvers", 505), ("unkscm", 416), ("novelsc", 416)])
  func refusedOtherwise(_ name: String, _ status: Int) throws {
    #expect(Verdict(try Samples.bytes("rfc4475/\(name).dat")) == .refused(status))
  }

  /// Responses nobody may take, and the request that does not say whom to answer.
  @Test(arguments: ["scalarlg", "bigcode", "bcast", "insuf"])
  func dropped(_ name: String) throws {
    #expect(Verdict(try Samples.bytes("rfc4475/\(name).dat")) == .dropped)
  }

  /// 49 messages and the completed one: none is left out above.
  @Test func allOfRFC4475AreHere() throws {
    #expect(try Samples.files("rfc4475", ".dat").count == 24 + 19 + 3 + 4)
  }

  @Test func rfc5118() throws {
    for file in try Samples.files("rfc5118", ".dat") {
      let isBad = file.hasSuffix("ipv6-bad.dat") || file.hasSuffix("3-colons.dat")
      #expect(Verdict(try Samples.bytes(file)) == (isBad ? .refused(400) : .accepted), "\(file)")
    }
  }

  /// Every 400 that can be sent carries what RFC 3261 §8.2.6.2 asks for.
  @Test func refusalsCanBeBuilt() throws {
    for file in try Samples.files("rfc4475", ".dat") {
      guard let request = refusal(of: try Samples.bytes(file))?.request else { continue }
      let response = Response.make(to: request, status: 400, toTag: [65])
      #expect(response.message.lines(.via) == request.message.lines(.via), "\(file)")
      #expect(response.message.lines(.callID).count == 1, "\(file)")
    }
  }

  private func refusal(of datagram: Bytes) -> SIPError? {
    do {
      if case .request(let request) = try MessageParser.parse(datagram) { try request.validated() }
      return nil
    } catch {
      return error
    }
  }
}
