/// Why a request to a push service has no answer.
enum PushFailure: Error {
  /// The service did nothing with the request: it was never sent, or refused unread (RFC 9113 §8.7).
  case notProcessed
  /// It may have been processed.
  case unknown
}
