public import Network

/// Why there is no response.
public enum HTTPClientError: Error, Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    /// More requests wait than the limit allows.
    case queueFull
    case noConnection(NetworkError)
    case timedOut
    /// The server ended the stream or the connection in good order.
    case ended
    case connectionLost
    case streamReset(code: UInt32)
    /// The response is no HTTP, or larger than the limit.
    case badResponse
    /// The request cannot be sent as it is.
    case badRequest
    case closed
  }

  /// The server has done nothing: the request may be sent again.
  case notProcessed(Cause)
  /// The server may have done what the request asked for.
  case unknown(Cause)

  public var mayBeSentAgain: Bool { if case .notProcessed = self { true } else { false } }
}
