import Primitives

/// The time in the provider token, which together with key and team is all that it is made of: cut into slots, so that every node, also
/// after a restart, has the same token at the same time. Apple refuses a token older than an hour, and one that came less than 20
/// minutes after another: slots are of 40 minutes.
struct ProviderTokenTime: Sendable, Equatable {
  static let slot: Duration = .seconds(40 * 60)
  private static let minute: Duration = .seconds(60)

  enum Refused: Equatable {
    /// It is another one by now.
    case useCurrent
    /// One out of turn, from now on.
    case changed
    case giveUp
  }

  private var now = Instant.zero
  /// Of the token out of turn, which serves as long as one of a slot.
  private var outOfTurn: Instant?

  /// The `iat`, by the wall clock.
  var issuedAt: Instant { outOfTurn ?? Self.cut(now, Self.slot) }

  /// - Parameter unix: what the wall clock shows.
  mutating func clockShows(_ unix: Instant) {
    now = unix
    if let time = outOfTurn, !(.zero..<Self.slot + Self.minute).contains(now - time) { outOfTurn = nil }
  }

  /// The service says that the token of this time is expired. Where our clock is slow, one of this very minute may do; where that is
  /// refused too, our clock is wrong, and more tokens make it worse.
  mutating func expired(_ issuedAt: Instant) -> Refused {
    guard issuedAt == self.issuedAt else { return .useCurrent }
    guard outOfTurn == nil else { return .giveUp }
    let minute = Self.cut(now, Self.minute)
    // In the first minute of a slot that would be the same token.
    outOfTurn = minute == issuedAt ? minute + (.zero - Self.minute) : minute
    return .changed
  }

  private static func cut(_ time: Instant, _ length: Duration) -> Instant {
    .zero + .seconds(time.seconds - time.seconds % length.components.seconds)
  }
}
