import PhoneContract
import Primitives
import Store
import Switchboard

/// A phone's request that came to this node, on its way to whoever can answer it.
struct Errand: Sendable {
  /// As long as a takeover may take, and a little more.
  static let patience = Duration.seconds(12)
  /// Where this node has no lease: one that was stopped for a moment has its next one by then.
  static let patienceWithoutLease = Duration.milliseconds(1500)
  /// Between two looks for whoever can answer it.
  static let pause = Duration.milliseconds(200)

  enum Stage: Sendable, Equatable {
    /// The store is asked: for the answer that was given before, or for where it has to go.
    case asking
    case here
    case away
    /// Nobody could answer it; soon somebody can.
    case waiting
  }

  let request: PhoneRequest
  let asked: ForwardedRequest
  /// One that has a key goes on without its client, which may come again for the answer.
  let key: IdempotencyKey?
  let cameAt: Instant
  let deadline: Instant
  var stage = Stage.asking
  /// The store did not say where it has to go: that nothing is known here says nothing.
  var isBlind = false

  /// As it is said to whoever answers it now.
  func asked(now: Instant) -> ForwardedRequest {
    var asked = asked
    asked.age = now - cameAt
    return asked
  }
}

/// Of one device: requests with the same key have one answer (phone contract, "An incoming call").
struct IdempotencyKey: Sendable, Hashable {
  let device: DeviceID
  let text: String
}

/// The errands under way. Of those with the same key the first one goes, and the others wait for its answer.
struct Errands: Sendable {
  /// Above that a request with the key of another one is not kept waiting.
  static let mostFollowers = 8

  private var underWay: [PhoneRequestID: Errand] = [:]
  private var followers: [IdempotencyKey: [PhoneRequestID]] = [:]

  subscript(id: PhoneRequestID) -> Errand? { underWay[id] }

  /// Those that this node has to answer itself, the first first.
  var notAway: [(id: PhoneRequestID, errand: Errand)] {
    underWay.filter { $0.value.stage != .away }.sorted { $0.key.number < $1.key.number }.map { ($0.key, $0.value) }
  }

  enum Beginning: Sendable, Equatable {
    case first, follows, tooMany
  }

  mutating func begin(_ errand: Errand, _ id: PhoneRequestID) -> Beginning {
    guard let key = errand.key, let others = followers[key] else {
      underWay[id] = errand
      if let key = errand.key { followers[key] = [] }
      return .first
    }
    guard others.count < Self.mostFollowers else { return .tooMany }
    followers[key]?.append(id)
    return .follows
  }

  mutating func move(_ id: PhoneRequestID, to stage: Errand.Stage) { underWay[id]?.stage = stage }

  mutating func look(_ id: PhoneRequestID, isBlind: Bool) { underWay[id]?.isBlind = isBlind }

  /// It is over: who gets the same answer.
  mutating func end(_ id: PhoneRequestID) -> [PhoneRequestID] {
    guard let errand = underWay.removeValue(forKey: id) else { return [] }
    return [id] + (errand.key.flatMap { followers.removeValue(forKey: $0) } ?? [])
  }
}

/// A phone's request that came by way of a peer.
struct Visitor: Sendable {
  let account: AccountID
  let device: DeviceID
}
