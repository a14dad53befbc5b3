import Store

/// The times that every node keeps to. They belong together: a node stands down before its lease runs out, and nobody takes over
/// before that.
public enum ClusterTimes {
  /// Between two renewals of the own lease.
  public static let renewal = Duration.milliseconds(500)
  /// A lease counts for so long from the moment at which its renewal was sent.
  public static let lease = Member.lease
  /// Without a renewal for so long a node asks whether it may go on.
  public static let doubt = Duration.seconds(2)
  /// A lease that has not been renewed for so long, of a node whose host refuses connections: that process is gone.
  public static let missedRenewal = Duration.milliseconds(750)
  /// What a peer said longer ago says nothing any more.
  public static let word = Duration.milliseconds(1200)
  /// For so long peers renew the lease of a node that the store does not answer: it can take no new call, and they can.
  public static let throughPeers = Duration.seconds(10)
  /// An answer of the store that takes longer counts as none.
  public static let answer = Duration.seconds(1)
}
