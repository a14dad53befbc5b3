import PhoneContract
import Primitives

/// What a phone learns of an answered call, and the requests that wait for more of it (phone contract, "During a call").
///
/// Events are numbered from 1. A reader names the last number it has seen; what it has seen is forgotten. The feed also knows how
/// long nobody has asked: a phone that stays away for `patience` has left the call.
struct StatusFeed: Sendable, Equatable {
  /// A status request that is open.
  struct Reader: Sendable, Equatable {
    let request: PhoneRequestID
    let after: Int
    let until: Instant
  }

  enum Action: Sendable, Equatable {
    case reply(PhoneRequestID, StatusReply)
    /// No reader was there for `patience`.
    case lost
  }

  static let patience = Contract.statusGap
  static let mostReaders = 4
  static let mostEvents = 64

  var readers: [Reader] = []
  var events: [Event] = []
  var lastSequence = 0
  var awaySince: Instant?
  /// Another node had the call: a reader may have seen numbers that no record tells of.
  var mayLag = false

  /// The clock of `patience` starts with the word that the call is answered: until then the phone waits for that.
  mutating func begin(now: Instant) { noteAbsence(now: now) }

  var nextDeadline: Instant? {
    let reader = readers.map(\.until).min()
    let patience = awaySince.map { $0 + Self.patience }
    return [reader, patience].compactMap(\.self).min()
  }

  /// Whether the phone has read everything there is.
  var isRead: Bool { events.isEmpty }

  mutating func read(_ request: PhoneRequestID, after: Int, until: Instant, now: Instant) -> [Action] {
    if mayLag, lastSequence < after, after < Self.highestSequence { lastSequence = after }
    events.removeAll { $0.seq <= after }
    let evicted = readers.count >= Self.mostReaders ? [finish(readers.removeFirst())] : []
    readers.append(Reader(request: request, after: after, until: until))
    awaySince = nil
    return evicted + answerReaders(now: now)
  }

  /// Numbers the event and hands it to all who wait. Over the limit the oldest event goes: only the newest offer counts.
  mutating func publish(_ kind: Event.Kind, now: Instant) -> [Action] {
    lastSequence += 1
    events.append(Event(seq: lastSequence, kind: kind))
    if events.count > Self.mostEvents { events.removeFirst() }
    return answerReaders(now: now)
  }

  /// The phone's request went away without an answer.
  mutating func gone(_ request: PhoneRequestID, now: Instant) {
    guard readers.contains(where: { $0.request == request }) else { return }
    readers.removeAll { $0.request == request }
    noteAbsence(now: now)
  }

  mutating func deadlineReached(now: Instant) -> [Action] {
    let due = readers.filter { $0.until <= now }
    readers.removeAll { $0.until <= now }
    let replies = due.map(finish)
    if !due.isEmpty { noteAbsence(now: now) }
    guard let since = awaySince, since + Self.patience <= now else { return replies }
    awaySince = nil
    return replies + [.lost]
  }

  /// Nobody is missed any more: the call is over.
  mutating func stopMissing() { awaySince = nil }

  /// Nothing more will come. Gives those who still wait for it.
  mutating func close() -> [PhoneRequestID] {
    defer { readers = [] }
    awaySince = nil
    return readers.map(\.request)
  }

  private mutating func answerReaders(now: Instant) -> [Action] {
    let ready = readers.filter { $0.after < lastSequence && hasNews(after: $0.after) }
    guard !ready.isEmpty else { return [] }
    readers.removeAll { ready.contains($0) }
    noteAbsence(now: now)
    return ready.map(finish)
  }

  private func hasNews(after: Int) -> Bool { events.contains { $0.seq > after } }

  private func finish(_ reader: Reader) -> Action {
    let news = events.filter { $0.seq > reader.after }
    return .reply(reader.request, StatusReply(next: news.last?.seq ?? reader.after, events: news))
  }

  private mutating func noteAbsence(now: Instant) {
    if readers.isEmpty { awaySince = now }
  }
}
