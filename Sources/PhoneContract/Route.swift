import Primitives

/// One row of the contract's tables: a method and a path, and how the request is read.
struct Route: Sendable {
  let method: String
  let segments: [String]
  let read: @Sendable (RequestParts) throws(Problem) -> PhoneRequest

  /// What stood in the path for `N` and `ID`. A route without them never looks.
  struct Captured {
    var line = Line.one
    var id = ""
  }

  init(_ method: String, _ path: String, read: @escaping @Sendable (RequestParts) throws(Problem) -> PhoneRequest) {
    self.method = method
    segments = path.split(separator: "/").map { String($0) }
    self.read = read
  }

  func match(_ path: String) -> Captured? {
    let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/"), given.count == segments.count else { return nil }
    var captured = Captured()
    for (segment, text) in zip(segments, given) {
      switch segment {
      case "N":
        guard let line = Line.allCases.first(where: { text == String($0.rawValue) }) else { return nil }
        captured.line = line
      case "ID":
        guard TextRule.pathID.allows(String(text)) else { return nil }
        captured.id = String(text)
      default:
        guard text == segment else { return nil }
      }
    }
    return captured
  }

  static let all: [Route] = setUp + calls + lines

  private static let setUp = [
    Route("POST", "/v1/probe") { parts throws(Problem) in .probe(try ProbeBody(json: parts.body)) },
    Route("PUT", "/v1/setup") { parts throws(Problem) in .setUp(try SetUpBody(json: parts.body)) },
    Route("GET", "/v1/setup") { _ in .setUpState },
    Route("DELETE", "/v1/setup") { _ in .removeSetUp },
    Route("PUT", "/v1/setup/push") { parts throws(Problem) in .setPush(try SetPushBody(json: parts.body).push) },
    Route("DELETE", "/v1/devices/ID") { parts in .removeDevice(id: parts.captured.id) },
    Route("GET", "/v1/home") { _ in .home },
  ]

  private static let calls = [
    Route("POST", "/v1/calls/fetch") { parts throws(Problem) in
      let body = try FetchBody(json: parts.body)
      return .fetch(body.line, body.stage)
    },
    Route("POST", "/v1/calls/decline") { _ in .decline },
    Route("POST", "/v1/calls/shown") { _ in .shown },
  ]

  private static let lines = [
    Route("POST", "/v1/lines/N/answer") { parts throws(Problem) in
      let body = try AnswerBody(json: parts.body)
      return .answer(parts.captured.line, sdp: body.sdp, confirm: body.confirm)
    },
    Route("POST", "/v1/lines/N/confirm") { parts in .confirm(parts.captured.line) },
    Route("GET", "/v1/lines/N/status") { parts throws(Problem) in
      let after = try parts.number("after", in: 0...Int.max) ?? 0
      return .status(parts.captured.line, after: after, wait: try parts.number("wait", in: 0...25) ?? 0)
    },
    Route("POST", "/v1/lines/N/offer") { parts throws(Problem) in
      .offer(parts.captured.line, sdp: try SDPBody(json: parts.body).sdp)
    },
    Route("POST", "/v1/lines/N/offers/ID/answer") { parts throws(Problem) in
      .answerOffer(parts.captured.line, id: parts.captured.id, sdp: try SDPBody(json: parts.body).sdp)
    },
    Route("POST", "/v1/lines/N/offers/ID/refuse") { parts in .refuseOffer(parts.captured.line, id: parts.captured.id) },
    Route("POST", "/v1/lines/N/dtmf") { parts throws(Problem) in
      let body = try DTMFBody(json: parts.body)
      return .dtmf(parts.captured.line, digits: body.digits, durationMS: body.durationMS)
    },
    Route("POST", "/v1/lines/N/hangup") { parts in .hangUp(parts.captured.line) },
  ]
}
