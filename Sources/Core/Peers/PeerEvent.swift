public import Store

/// What becomes known of a peer.
public enum PeerEvent: Sendable, Equatable {
  /// It has answered.
  case heard(NodeID, Greeting)
  /// The connection broke, or it did not answer in time; what was under way there has failed or fails now.
  case lost(NodeID)
  /// Its host is there and nobody listens.
  case refused(NodeID)
}

/// Why a peer gave no answer. What may be done next depends on it.
public enum PeerFailure: Error, Hashable, Sendable {
  /// The peer has surely done nothing: the request may go to another one, or there again.
  case notProcessed
  /// The connection to the peer broke meanwhile, or it was taken for lost: whoever has the account next is to be asked.
  case gone
  /// The peer lives, and may have done it or may still be doing it.
  case unknown
}
