import Endpoints
import HTTP
import Network

/// What carries pushes to one service.
@LoopActor
protocol PushConnection: AnyObject {
  /// `completion` is called once, possibly from within this call, and not after the call was cancelled.
  @discardableResult
  func send(
    _ request: HTTPRequest, timeout: Duration, completion: @escaping @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void
  ) -> HTTPClientCall
}

extension HTTPClient: PushConnection {}
