public import Primitives

/// A request as a client sends it: what the signature covers, nothing of HTTP.
public struct EncodedRequest: Sendable, Equatable, Discreet {
  public let method: String
  public let path: String
  /// Without `?`; empty for none.
  public let query: String
  /// Empty for none.
  public let body: Bytes

  /// The request target: path with query.
  public var target: String { query.isEmpty ? path : path + "?" + query }
}

extension PhoneRequest {
  public var encoded: EncodedRequest {
    switch self {
    case .probe(let body): .post("/v1/probe", body.json)
    case .setUp(let body): EncodedRequest(method: "PUT", path: "/v1/setup", query: "", body: body.json)
    case .setUpState: .get("/v1/setup")
    case .setPush(let push): EncodedRequest(method: "PUT", path: "/v1/setup/push", query: "", body: SetPushBody(push: push).json)
    case .removeSetUp: .delete("/v1/setup")
    case .removeDevice(let id): .delete("/v1/devices/\(id)")
    case .home: .get("/v1/home")
    case .fetch(let line, let stage): .post("/v1/calls/fetch", FetchBody(line: line, stage: stage).json)
    case .decline: .post("/v1/calls/decline")
    case .shown: .post("/v1/calls/shown")
    case .answer(let line, let sdp, let confirm): .post(line, "answer", AnswerBody(sdp: sdp, confirm: confirm).json)
    case .confirm(let line): .post(line, "confirm")
    case .status(let line, let after, let wait): .get("/v1/lines/\(line.rawValue)/status", query: "after=\(after)&wait=\(wait)")
    case .offer(let line, let sdp): .post(line, "offer", SDPBody(sdp: sdp).json)
    case .answerOffer(let line, let id, let sdp): .post(line, "offers/\(id)/answer", SDPBody(sdp: sdp).json)
    case .refuseOffer(let line, let id): .post(line, "offers/\(id)/refuse")
    case .dtmf(let line, let digits, let duration): .post(line, "dtmf", DTMFBody(digits: digits, durationMS: duration).json)
    case .hangUp(let line): .post(line, "hangup")
    }
  }
}

extension EncodedRequest {
  fileprivate static func get(_ path: String, query: String = "") -> EncodedRequest {
    EncodedRequest(method: "GET", path: path, query: query, body: [])
  }

  fileprivate static func delete(_ path: String) -> EncodedRequest {
    EncodedRequest(method: "DELETE", path: path, query: "", body: [])
  }

  fileprivate static func post(_ path: String, _ body: Bytes = []) -> EncodedRequest {
    EncodedRequest(method: "POST", path: path, query: "", body: body)
  }

  fileprivate static func post(_ line: Line, _ what: String, _ body: Bytes = []) -> EncodedRequest {
    post("/v1/lines/\(line.rawValue)/\(what)", body)
  }
}
