import HTTP
import Primitives

/// A client session and a server session, connected in memory.
final class HTTP2Pair {
  let client: HTTP2Session
  let server: HTTP2Session
  var now: Instant = .zero
  var clientEvents: [HTTP2Session.Event] = []
  var serverEvents: [HTTP2Session.Event] = []
  /// Sends so many bytes at a time.
  var pieces = Int.max

  init(client clientLimits: HTTPLimits = HTTPLimits(), server serverLimits: HTTPLimits = HTTPLimits()) {
    client = HTTP2Session(role: .client, limits: clientLimits, now: .zero)
    server = HTTP2Session(role: .server, limits: serverLimits, now: .zero)
  }

  /// Until neither has anything to say.
  func run() {
    while true {
      let up = client.output()
      let down = server.output()
      if up.isEmpty, down.isEmpty { return }
      for piece in split(up) { serverEvents += server.receive(piece, now: now) }
      for piece in split(down) { clientEvents += client.receive(piece, now: now) }
    }
  }

  private func split(_ bytes: Bytes) -> [Slice] {
    guard pieces < bytes.count else { return bytes.isEmpty ? [] : [bytes[...]] }
    return stride(from: 0, to: bytes.count, by: pieces).map { bytes[$0..<min($0 + pieces, bytes.count)] }
  }

  var requests: [(request: HTTPRequest, id: HTTP2StreamID)] {
    serverEvents.compactMap { if case .request(let request, let id) = $0 { (request, id) } else { nil } }
  }

  var responses: [HTTPResponse] {
    clientEvents.compactMap { if case .response(let response, _) = $0 { response } else { nil } }
  }

  var ended: [HTTP2StreamEnd] {
    clientEvents.compactMap { if case .streamEnded(_, let end) = $0 { end } else { nil } }
  }

  static func get(_ path: String = "/") -> HTTPRequest { HTTPRequest(method: "GET", authority: "a.example", path: path) }

  static func post(_ count: Int) -> HTTPRequest {
    HTTPRequest(method: "POST", authority: "a.example", path: "/x?y=z", fields: ["x-a": "b"], body: Bytes(repeating: 65, count: count))
  }
}
