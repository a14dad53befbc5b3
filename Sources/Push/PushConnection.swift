import HTTP
import Network

/// What carries pushes to one origin: an HTTP client, or a test.
@LoopActor
protocol PushConnection: AnyObject {
  /// For `:authority`.
  var authority: String { get }

  /// `done` is called once, never before this returns, and not after `abandon`.
  func send(_ request: HTTPRequest, done: @escaping @LoopActor (Result<HTTPResponse, PushFailure>) -> Void) -> any PushStream
}

/// One request under way.
@LoopActor
protocol PushStream: AnyObject {
  /// Nobody waits for the answer any more.
  func abandon()
}
