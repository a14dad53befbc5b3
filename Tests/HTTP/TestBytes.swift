import HTTP
import Primitives

extension String {
  var slice: Slice { Array(utf8)[...] }
}

/// What a server made of some input, in whatever pieces it came.
struct ServerRun: Equatable {
  var events: [HTTP1Server.Event] = []
  var output = ""
  var isClosed = false

  /// Feeds `pieces`, and answers each request with its path.
  init(_ pieces: [Slice], limits: HTTPLimits = HTTPLimits()) {
    var server = HTTP1Server(scheme: "https", limits: limits, now: .zero)
    for piece in pieces {
      var fresh = server.receive(piece, now: .zero)
      while !fresh.isEmpty {
        events += fresh
        guard case .request(let request) = fresh.removeFirst() else { break }
        fresh = server.respond(HTTPResponse(status: 200, body: Array(request.path.utf8)), now: .zero)
      }
    }
    output = server.output().text
    isClosed = server.isClosed
  }

  init(_ text: String, limits: HTTPLimits = HTTPLimits()) { self.init([text.slice], limits: limits) }

  var requests: [HTTPRequest] { events.compactMap { if case .request(let request) = $0 { request } else { nil } } }
  var refusals: [HTTPError] { events.compactMap { if case .refused(let error) = $0 { error } else { nil } } }
}
