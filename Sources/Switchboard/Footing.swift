public import Primitives

/// How sure this node may be of its lease at this moment, where the store does not hear what it does.
public struct Footing: Sendable, Equatable {
  /// When the newest renewal that succeeded was sent; through a peer, where the store answers others only.
  public let renewedAt: Instant
  /// The store answers nobody, so that nobody can take anything over.
  public let isUndisputed: Bool

  public init(renewedAt: Instant, isUndisputed: Bool) {
    self.renewedAt = renewedAt
    self.isUndisputed = isUndisputed
  }

  static let alone = Footing(renewedAt: .distantFuture, isUndisputed: true)

  /// Whether a home goes on without having told the store, which has not answered it; since when, or nil for the first time. A node that
  /// is cut off from everybody still has its lease then, and no time left to write down what it did before others take the call over as
  /// it was: only a renewal after that says that there is time.
  func bears(unheardSince: Instant?) -> Bool { isUndisputed || unheardSince.map { renewedAt > $0 } ?? false }
}
