import Primitives
import Store

/// What a node knows of another one.
struct Peer: Sendable, Equatable {
  /// How the way to it is.
  enum Link: Sendable, Equatable {
    case unknown
    /// It has answered.
    case up
    /// Broken, or silent.
    case silent
    /// Its host is there and nobody listens: the process is gone.
    case refused
  }

  var member: Member
  /// When the list that `member` is from was asked for.
  var readAt: Instant
  var link = Link.unknown
  /// Whether it said that the store answers it, and when.
  var word: (storeAnswers: Bool, at: Instant)?

  init(_ member: Member, readAt: Instant) {
    self.member = member
    self.readAt = readAt
  }

  /// What it says, where that is not too old.
  func freshWord(now: Instant) -> Bool? {
    guard link == .up, let word, now - word.at <= ClusterTimes.word else { return nil }
    return word.storeAnswers
  }

  static func == (left: Peer, right: Peer) -> Bool {
    left.member == right.member && left.readAt == right.readAt && left.link == right.link
      && left.word?.storeAnswers == right.word?.storeAnswers && left.word?.at == right.word?.at
  }
}
