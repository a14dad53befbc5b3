import Endpoints
import HTTP
import Network
import Primitives
import Telemetry

/// The pages for those who run the node: metrics and health, over plain HTTP.
@LoopActor
final class AdminService {
  private let page: @LoopActor () -> Bytes
  /// Whether phones and providers should be sent here.
  var isReady = false

  /// - Parameter page: the metrics as they are at this moment.
  init(page: @escaping @LoopActor () -> Bytes) { self.page = page }

  func handle(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return HTTPResponse(status: 405, fields: ["allow": "GET, HEAD"])
    }
    switch request.pathOnly {
    case "/metrics": return HTTPResponse(status: 200, fields: ["content-type": Metrics.contentType], body: page())
    case "/healthz": return .text(200, "ok\n")
    case "/readyz": return isReady ? .text(200, "ready\n") : .text(503, "not ready\n")
    default: return .text(404, "there are /metrics, /healthz and /readyz\n")
    }
  }
}

extension HTTPResponse {
  fileprivate static func text(_ status: Int, _ text: StaticString) -> HTTPResponse {
    var body = Bytes()
    body.append(text)
    return HTTPResponse(status: status, fields: ["content-type": "text/plain; charset=utf-8"], body: body)
  }
}
