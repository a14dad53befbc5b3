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
  private var refusedAt: Instant?
  /// Since when the store has answered it without a break, as it said last; nil where it did not.
  private(set) var answered: Answered?
  private var word: Word?

  /// Whether the store answers it.
  private struct Word: Sendable, Equatable {
    let storeAnswers: Bool
    let at: Instant
    /// Since when it says so; nil where that is not known, since it was silent before.
    let since: Instant?
  }

  /// Since when the store has answered it without a break, and when last.
  struct Answered: Sendable, Equatable {
    let since: Instant
    let last: Instant
  }

  init(_ member: Member, readAt: Instant) {
    self.member = member
    self.readAt = readAt
  }

  mutating func heard(storeAnswers: Bool, _ store: StoreWord?, now: Instant) {
    answered = store.map { Answered(since: now + (.zero - $0.unbrokenFor), last: now + (.zero - $0.answeredAgo)) }
    let before = freshWord(now: now)
    link = .up
    let since = before == nil ? nil : before == storeAnswers ? word?.since : now
    word = Word(storeAnswers: storeAnswers, at: now, since: since)
  }

  mutating func refused(now: Instant) {
    link = .refused
    refusedAt = now
  }

  /// How long ago its lease was renewed, at the most.
  func renewedAgo(now: Instant) -> Duration { now - readAt + (ClusterTimes.lease - member.remaining) }

  /// Nobody listened there so short a time ago that whoever may have come back since cannot judge anybody yet.
  func isGone(now: Instant) -> Bool { link == .refused && refusedAt.map { now - $0 < ClusterTimes.doubt } ?? false }

  /// It has answered before, and does no more. Whose host refuses a connection is not silent.
  func hasFallenSilent(now: Instant) -> Bool { link == .silent && word.map { now - $0.at > ClusterTimes.word } ?? false }

  /// What it says, where that is not too old.
  func freshWord(now: Instant) -> Bool? {
    guard link == .up, let word, now - word.at <= ClusterTimes.word else { return nil }
    return word.storeAnswers
  }

  /// Whether it may soon take others for dead: it has had answers for some time, or for nobody knows how long. One that had none until a
  /// moment ago has to wait for a whole lease time, as everybody.
  func maySoonJudge(now: Instant) -> Bool {
    guard freshWord(now: now) == true else { return false }
    return word?.since.map { now - $0 >= ClusterTimes.doubt } ?? true
  }
}
