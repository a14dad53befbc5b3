public import Primitives

/// Which INVITE a held slot is for, in few bytes.
public struct MergeKey: Hashable, Sendable, Discreet {
  /// The same in all copies of a forked INVITE (RFC 3261 §8.2.2.2).
  public let request: Bytes
  /// The same only where an INVITE is sent again (§17.2.3).
  public let branch: Bytes

  public init(request: Bytes, branch: Bytes) {
    (self.request, self.branch) = (request, branch)
  }
}
