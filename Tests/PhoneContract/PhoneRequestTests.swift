import PhoneContract
import Primitives
import Testing

@Suite struct PhoneRequestTests {
  static let setUp = (try? SetUpBody(json: Array(Sample.setUp.utf8))).map(PhoneRequest.setUp)
  static let requests: [PhoneRequest] =
    [
      .setUpState, .removeSetUp, .removeDevice(id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"), .home, .setPush(.fcm(token: "a:b_c")),
      .setPush(.none), .fetch(.two, .answer), .fetch(.one, .early), .decline, .shown, .answer(.one, sdp: "v=0\r\n", confirm: true),
      .answer(.two, sdp: "v=0\r\n", confirm: false), .confirm(.one), .status(.one, after: 7, wait: 25), .offer(.two, sdp: "v=0\r\n"),
      .answerOffer(.one, id: "x1", sdp: "v=0\r\n"), .refuseOffer(.two, id: "x1"), .dtmf(.one, digits: "5#", durationMS: 160), .hangUp(.one),
    ] + [setUp].compactMap { $0 }

  @Test(arguments: requests) func comesBackAsItWasSent(request: PhoneRequest) {
    let sent = request.encoded
    #expect(PhoneRequest.decode(method: sent.method, path: sent.path, query: sent.query, body: sent.body) == .success(request))
  }

  @Test func everyRequestIsThere() { #expect(Self.setUp != nil) }

  @Test(arguments: [
    "/", "", "/v1", "/v1/", "/v1/setup/", "/v2/setup", "/v1/lines/3/answer", "/v1/lines/0/hangup", "/v1/lines/01/hangup", "v1/setup",
    "/v1//setup", "/v1/devices/", "/v1/devices/a%20b", "/v1/lines/1/offers//refuse", "/v1/setup?x",
  ])
  func noSuchPath(path: String) {
    #expect(PhoneRequest.decode(method: "GET", path: path).problem == Problem(.noSuchPath))
  }

  @Test func anotherMethodIsToldWhatThePathAllows() {
    let problem = PhoneRequest.decode(method: "POST", path: "/v1/setup").problem
    #expect(problem == .method(allowed: ["PUT", "GET", "DELETE"]))
    #expect(problem?.fields.map { "\($0.name): \($0.value)" } == ["allow: PUT, GET, DELETE"])
    #expect(PhoneRequest.decode(method: "get", path: "/v1/lines/1/hangup").problem == .method(allowed: ["POST"]))
  }

  @Test func aBodyOverTheLimitIsTooLarge() {
    let spaces = Bytes(repeating: 0x20, count: 65_537)
    #expect(PhoneRequest.decode(method: "POST", path: "/v1/calls/fetch", body: spaces).problem == Problem(.tooLarge))
    #expect(PhoneRequest.decode(method: "POST", path: "/v1/calls/decline", body: spaces).problem == Problem(.tooLarge))
    let largest = Array(#"{"line":1,"stage":"answer"}"#.utf8)
    let padded = largest + Bytes(repeating: 0x20, count: 65_536 - largest.count)
    #expect(PhoneRequest.decode(method: "POST", path: "/v1/calls/fetch", body: padded).request == .fetch(.one, .answer))
  }

  @Test func theQueryHasDefaultsAndBounds() {
    func status(_ query: String) -> Result<PhoneRequest, Problem> {
      PhoneRequest.decode(method: "GET", path: "/v1/lines/2/status", query: query)
    }
    #expect(status("").request == .status(.two, after: 0, wait: 0))
    #expect(status("wait=25&x=1&after=3").request == .status(.two, after: 3, wait: 25))
    #expect(status("wait=26").problem == .malformed(at: "/wait"))
    #expect(status("after=-1").problem == .malformed(at: "/after"))
    #expect(status("after=99999999999999999999").problem == .malformed(at: "/after"))
    #expect(status("after=").problem == .malformed(at: "/after"))
  }

  @Test func nothingOfABodyIsPrinted() {
    for request in Self.requests {
      var dumped = ""
      dump(request, to: &dumped)
      for text in ["\(request)", String(reflecting: request), dumped, "\(request.encoded)"] {
        for secret in [Sample.ha1, "alice", "00fc13", "kitchen", "v=0", "5#", "a:b_c"] { #expect(!text.contains(secret)) }
      }
    }
  }
}
