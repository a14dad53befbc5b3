/// Why a node may not be one of the cluster.
public enum JoinRefusal: Sendable, Hashable {
  /// A process at another address has a lease under its name.
  case nameTaken
  /// Its cluster key is not that of the others: it could read nothing of theirs.
  case otherKey
}
