import Endpoints
import HTTP
import Network

/// What carries pushes to one service.
@LoopActor
protocol PushConnection: AnyObject {
  /// `completion` is called once, possibly from within this call, and not after the call was withdrawn.
  @discardableResult
  func send(
    _ request: HTTPRequest, timeout: Duration, completion: @escaping @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void
  ) -> HTTPClientCall

  /// Ends it, and what is on it.
  func close()
}

extension HTTPClient: PushConnection {}
