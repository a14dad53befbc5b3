public import Primitives
public import Store

/// Whether new slots are claimed. While the store is away nobody knows which are taken, and when it comes back without something that it
/// had, whoever had a slot says so first: at once who went on, then who comes back, then who is new.
public struct Settling: Sendable, Equatable {
  enum Stage: Sendable, Equatable {
    case settled
    case away
    /// From then on this node takes up what it had in a former life, and claims new slots where nobody is awaited.
    case back(goesOn: Instant)
  }

  var stage = Stage.settled
  /// Those who have come back since, until they say that they know whose their calls are, and until when at the latest.
  private var awaited: [Holder: Instant] = [:]

  /// A home finds the store again within a second, and says once a second what the store could not take.
  static let time = Duration.seconds(2)
  /// A node that has come back asks a few times.
  static let returning = Duration.seconds(8)
  /// After so long everybody has said what he had.
  public static let longest = time + returning
  static let look = Duration.milliseconds(500)

  var isSettled: Bool { stage == .settled }

  func mayTakeUp(now: Instant) -> Bool {
    switch stage {
    case .settled: true
    case .away: false
    case .back(let moment): now >= moment
    }
  }

  /// For all that it knows the store came back a moment ago, and so did everybody else.
  mutating func processBegan(beside others: Set<Holder>, now: Instant) {
    stage = .back(goesOn: now + Self.time)
    returned(Array(others), now: now)
  }

  mutating func returned(_ others: [Holder], now: Instant) {
    guard case .back = stage else { return }
    for other in others { awaited[other] = now + Self.returning }
  }

  mutating func knowsItsCalls(_ other: Holder) { awaited[other] = nil }

  mutating func awaitsNobody() { awaited = [:] }

  mutating func died(_ other: Holder) { awaited[other] = nil }

  /// Whether new slots are claimed from now on.
  mutating func hasEnded(now: Instant) -> Bool {
    guard case .back(let moment) = stage, moment <= now, awaited.values.allSatisfy({ $0 <= now }) else { return false }
    (stage, awaited) = (.settled, [:])
    return true
  }
}

extension Switchboard {
  /// The store may not know yet whose the calls are.
  public var isSettling: Bool { !settling.isSettled }

  /// Whether this node has calls of a former life, and has not heard yet whose they are; or has some, or ended some, and the store has not
  /// heard that.
  public func isAsking(now: Instant) -> Bool { formerLife != nil || !inDoubt.isEmpty || debts.hasWords(now: now) }

  /// Whether some of them were others' before: their homes of before let it speak first.
  public var isHeir: Bool {
    isPassive ? calls.values.contains { $0.homes > 0 } : inDoubt.contains { calls[$0].map { $0.homes > 0 } ?? false }
  }

  /// A peer has none.
  public mutating func peerKnowsItsCalls(_ holder: Holder) { settling.knowsItsCalls(holder) }

  public mutating func peer(_ node: NodeID, isHeir: Bool) {
    if isHeir { heirs.insert(node) } else { heirs.remove(node) }
  }

  /// The way to the store is gone.
  public mutating func storeWent(now: Instant) {
    guard isRecording else { return }
    settling.stage = .away
    deadlines.set(now + Settling.look, for: .settling)
  }

  mutating func storeIsBack(now: Instant) -> [Action] {
    guard isRecording else { return [] }
    settling.stage = .back(goesOn: now + Settling.time)
    return settlingLooked(now: now)
  }

  /// It has answered others all the time, and has lost nothing; nor had it for so long before that everybody has said what he had.
  ///
  /// - Parameter gap: for how long this node had no answer.
  public mutating func storeIsWhole(for gap: Duration, now: Instant) {
    guard case .back = settling.stage else { return }
    settling.stage = .back(goesOn: now)
    if gap >= Settling.longest { settling.awaitsNobody() }
    deadlines.set(now, for: .settling)
    if !debts.isEmpty { deadlines.set(now, for: .debts) }
  }

  /// Calls that have come meanwhile claim their slots, or have waited for too long.
  mutating func settlingLooked(now: Instant) -> [Action] {
    let taken = settling.mayTakeUp(now: now) ? takeUp(now: now) : []
    let waiting = calls.values.filter { $0.slot != nil && !isPassive && !inDoubt.contains($0.id) }.sorted {
      ($0.began, $0.id) < ($1.began, $1.id)
    }
    if settling.hasEnded(now: now) {
      deadlines.set(nil, for: .settling)
      return taken + waiting.flatMap { claimSlot($0, now: now) }
    }
    deadlines.set(now + Settling.look, for: .settling)
    return taken + waiting.filter { now - $0.began >= Self.longestClaim }.flatMap { withoutSlot($0, now: now) }
  }
}
