import Endpoints

/// Why a peer gave no answer. What may be done next depends on it.
enum PeerFailure: Error, Hashable, Sendable {
  /// The peer has surely done nothing: the request may go to another one, or there again.
  case notProcessed
  /// The connection to the peer broke meanwhile, or it was taken for lost: whoever has the account next is to be asked.
  case gone
  /// The peer lives, and may have done it or may still be doing it.
  case unknown

  init(_ error: HTTPClientError) {
    self =
      switch error {
      case .notProcessed: .notProcessed
      case .unknown(.connectionLost): .gone
      case .unknown: .unknown
      }
  }
}
