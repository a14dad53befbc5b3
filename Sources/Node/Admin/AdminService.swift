import Endpoints
import HTTP
import Network
import Primitives
import Telemetry

/// The pages for those who run the node: metrics and health, over plain HTTP.
@LoopActor
final class AdminService {
  private let metrics: NodeMetrics
  private let load: @LoopActor () -> (accounts: Int, held: Int, answered: Int)
  /// Whether phones and providers should be sent here.
  var isReady = false

  init(metrics: NodeMetrics, load: @escaping @LoopActor () -> (accounts: Int, held: Int, answered: Int)) {
    self.metrics = metrics
    self.load = load
  }

  func handle(_ request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return HTTPResponse(status: 405, fields: ["allow": "GET, HEAD"])
    }
    switch request.pathOnly {
    case "/metrics": return HTTPResponse(status: 200, fields: ["content-type": Metrics.contentType], body: metrics.page(load()))
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
