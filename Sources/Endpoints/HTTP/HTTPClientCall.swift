public import Network

/// A request that was given to an `HTTPClient`.
@LoopActor
public final class HTTPClientCall {
  private let cancelling: @LoopActor () -> Bool

  /// - Parameter cancelling: gives it up, and says whether the server has surely seen nothing of it.
  public init(_ cancelling: @escaping @LoopActor () -> Bool) { self.cancelling = cancelling }

  /// Gives the request up; its completion is not called any more. True where the server has surely seen nothing of it.
  @discardableResult
  public func cancel() -> Bool { cancelling() }
}
