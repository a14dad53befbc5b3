public import Primitives

/// A dialog that another node had, whose last steps may not be in the record that was read.
extension Dialog {
  /// Requests that the other node may have sent after its last record: their numbers are not used again. A number that is left out is
  /// no mistake (RFC 3261 §12.2.2).
  static let unrecordedRequests: UInt32 = 16

  public mutating func adopted() { localCSeq += Self.unrecordedRequests }

  /// Its node has been away, and goes on with what it knew: others may have had the dialog meanwhile.
  public mutating func resumed() { localCSeq += Self.unrecordedRequests * 4 }

  /// The peer knows a higher number (RFC 3261 §12.2.2): of nodes whose records were lost.
  public mutating func wasBehind() { localCSeq += Self.unrecordedRequests * 64 }
}

extension SessionTimer {
  /// The answer to a refresh that the other node had open goes there: it is made anew halfway to the end of the session.
  public mutating func adopted(now: Instant) {
    guard case .refreshing(let session, _, _) = state else { return }
    state = .weRefresh(session, at: now + max(session.endsAt - now, .zero) / 2)
  }

  /// The header fields for an UPDATE or re-INVITE whose outcome is somebody else's to judge: the timer goes on, and a 2xx starts it
  /// anew.
  public func fields(of method: Method) -> Refresh {
    var timer = self
    return timer.requestStarted(method)
  }
}
