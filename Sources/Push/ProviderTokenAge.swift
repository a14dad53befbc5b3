import Primitives

/// When the provider token is made anew. Apple refuses one that is older than an hour, and one that came less than 20 minutes after
/// the last. Tokens are counted, so that an answer to a request with an older one is told apart.
struct ProviderTokenAge: Sendable, Equatable {
  private(set) var generation = 0
  private var madeAt: Instant?
  private var forcedAt: Instant?

  enum Refused: Equatable {
    /// Another request has had it renewed already.
    case useNewer
    case renew
    /// A token that was just made is refused too: our clock is wrong, and more tokens make it worse.
    case giveUp
  }

  /// Whether a token is to be made before the next request.
  func isDue(now: Instant) -> Bool {
    guard let madeAt else { return true }
    return now - madeAt >= Self.lifetime
  }

  mutating func renewed(now: Instant) {
    generation += 1
    madeAt = now
  }

  /// The service says that the token with this number is expired.
  mutating func refused(generation: Int, now: Instant) -> Refused {
    guard generation == self.generation else { return .useNewer }
    if let forcedAt, now - forcedAt < Self.shortestLifetime { return .giveUp }
    forcedAt = now
    return .renew
  }

  static let lifetime: Duration = .seconds(45 * 60)
  static let shortestLifetime: Duration = .seconds(20 * 60)
}
