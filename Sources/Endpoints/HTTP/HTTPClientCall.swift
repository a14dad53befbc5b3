public import Network

/// A request that was given to an `HTTPClient`.
@LoopActor
public final class HTTPClientCall {
  private let withdrawing: @LoopActor () -> Bool
  private let abandoning: @LoopActor () -> Void

  /// - Parameters:
  ///   - abandoning: what `abandon` does.
  ///   - withdrawing: what `withdraw` does and says.
  public init(abandoning: @escaping @LoopActor () -> Void = {}, _ withdrawing: @escaping @LoopActor () -> Bool) {
    self.abandoning = abandoning
    self.withdrawing = withdrawing
  }

  /// Nobody wants the answer any more: the completion is not called, and the server is told where it has the request already.
  public func abandon() { abandoning() }

  /// Gives up a request of which the server has surely seen nothing; its completion is not called any more. Any other goes on to its
  /// completion: what may have been done has an outcome that somebody waits for. True where it was given up.
  @discardableResult
  public func withdraw() -> Bool { withdrawing() }
}
