import HTTP
import Network

/// One request until it is answered. It completes once.
@LoopActor
final class HTTPClientJob {
  typealias Completion = @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void

  let request: HTTPRequest
  var timer: LoopTimer?
  /// The connection that it was given to.
  weak var connection: HTTPClientConnection?
  private var completion: Completion?

  init(_ request: HTTPRequest, _ completion: @escaping Completion) {
    self.request = request
    self.completion = completion
  }

  /// Nobody wants to know any more.
  func forget() {
    completion = nil
    timer?.cancel()
  }

  func complete(_ result: Result<HTTPResponse, HTTPClientError>) {
    let completion = completion
    self.completion = nil
    timer?.cancel()
    completion?(result)
  }
}
