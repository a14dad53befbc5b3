/// What a node says of a store that answers it, counted back from the moment at which it says so.
public struct StoreWord: Sendable, Equatable {
  /// For how long it has answered without a break.
  public let unbrokenFor: Duration
  /// How long ago it answered last.
  public let answeredAgo: Duration

  public init(unbrokenFor: Duration, answeredAgo: Duration) {
    self.unbrokenFor = unbrokenFor
    self.answeredAgo = answeredAgo
  }
}
