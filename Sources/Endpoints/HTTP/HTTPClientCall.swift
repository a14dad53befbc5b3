public import Network

/// A request that was given to an `HTTPClient`.
@LoopActor
public final class HTTPClientCall {
  private let withdrawing: @LoopActor () -> Bool

  /// - Parameter withdrawing: what `withdraw` does and says.
  public init(_ withdrawing: @escaping @LoopActor () -> Bool) { self.withdrawing = withdrawing }

  /// Gives up a request of which the server has surely seen nothing; its completion is not called any more. Any other goes on to its
  /// completion: what may have been done has an outcome that somebody waits for. True where it was given up.
  @discardableResult
  public func withdraw() -> Bool { withdrawing() }
}
