import Endpoints
import HTTP
import Network
import Primitives
import Telemetry

/// The pages for those who run the node: status, metrics and health, over plain HTTP.
@LoopActor
final class AdminService {
  private let metrics: @LoopActor () -> Bytes
  private let status: StatusBoard
  /// Whether phones and providers should be sent here.
  var isReady: @LoopActor () -> Bool = { false }

  /// - Parameter metrics: the page as it is at this moment.
  init(metrics: @escaping @LoopActor () -> Bytes, status: StatusBoard) {
    self.metrics = metrics
    self.status = status
  }

  func handle(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return HTTPResponse(status: 405, fields: ["allow": "GET, HEAD"])
    }
    switch request.pathOnly {
    case "/": return StatusPage.response
    case "/status.json": return statusReport
    case "/metrics": return HTTPResponse(status: 200, fields: ["content-type": Metrics.contentType], body: metrics())
    case "/healthz": return .text(200, "ok\n")
    case "/readyz": return isReady() ? .text(200, "ready\n") : .text(503, "not ready\n")
    default: return .text(404, "there are /, /status.json, /metrics, /healthz and /readyz\n")
    }
  }

  private var statusReport: HTTPResponse {
    guard let json = status.report(isReady: isReady()).json else { return .text(500, "there is no report\n") }
    return HTTPResponse(status: 200, fields: ["content-type": "application/json", "cache-control": "no-store"], body: json)
  }
}

extension HTTPResponse {
  fileprivate static func text(_ status: Int, _ text: StaticString) -> HTTPResponse {
    var body = Bytes()
    body.append(text)
    return HTTPResponse(status: status, fields: ["content-type": "text/plain; charset=utf-8"], body: body)
  }
}
