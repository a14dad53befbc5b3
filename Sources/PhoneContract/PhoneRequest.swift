public import Primitives

/// Everything that a phone can ask for.
public enum PhoneRequest: Sendable, Equatable, Discreet {
  case probe(ProbeBody)
  case setUp(SetUpBody)
  case setUpState
  case setPush(PushBody)
  case removeSetUp
  case removeDevice(id: String)
  /// The home connection.
  case home

  case fetch(Line, FetchStage)
  case decline
  case shown

  case answer(Line, sdp: String, confirm: Bool)
  case confirm(Line)
  /// `wait` in seconds.
  case status(Line, after: Int, wait: Int)
  case offer(Line, sdp: String)
  case answerOffer(Line, id: String, sdp: String)
  case refuseOffer(Line, id: String)
  case dtmf(Line, digits: String, durationMS: Int)
  case hangUp(Line)

  /// Reads a request. `path` as in the request line, without the query; `query` what stands behind `?`.
  /// Failures: `no-such-path`, `method` with what the path allows, `too-large`, `malformed` with a pointer to the member (for a
  /// parameter of the query its name).
  public static func decode(method: String, path: String, query: String = "", body: Bytes = []) -> Result<PhoneRequest, Problem> {
    let matching = Route.all.compactMap { route in route.match(path).map { (route, $0) } }
    guard !matching.isEmpty else { return .failure(Problem(.noSuchPath)) }
    guard let (route, captured) = matching.first(where: { $0.0.method == method }) else {
      return .failure(.method(allowed: matching.map { $0.0.method }))
    }
    guard body.count <= Contract.bodyLimit else { return .failure(Problem(.tooLarge)) }
    return Result { () throws(Problem) in try route.read(RequestParts(captured: captured, query: query, body: body)) }
  }
}

/// What a route reads a request from.
struct RequestParts {
  let captured: Route.Captured
  let query: String
  let body: Bytes

  /// A parameter of the query (`name=digits`), nil where it is absent.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    let prefix = name + "="
    guard let parameter = query.split(separator: "&").first(where: { $0.hasPrefix(prefix) }) else { return nil }
    guard let number: Int = Array(parameter.utf8.dropFirst(prefix.utf8.count)).decimal(), range.contains(number) else {
      throw .malformed(at: "/" + name)
    }
    return number
  }
}
