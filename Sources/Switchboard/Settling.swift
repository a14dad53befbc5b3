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
  /// Those who say that they have calls and do not know whose these are, and since when.
  private var askers: [NodeID: Instant] = [:]
  /// Those who lived while the store was away and have not said yet, to a store that answers them, what they have: what the store does
  /// not know there may be all the same.
  private var unheard: Set<NodeID> = []
  private var wordsCountFrom: Instant?

  /// A home finds the store again within a second, and says once a second what the store could not take.
  static let time = Duration.seconds(2)
  /// A node that has come back asks a few times, each a second after the other, once the store is settled.
  static let returning = Duration.seconds(10)
  /// After so long everybody has said what he had.
  public static let longest = time + returning
  /// Each renewal of a lease brings word of it.
  static let noticing = Duration.seconds(1)
  static let look = Duration.milliseconds(500)
  /// Who does not find the store for so long after it has come back has no lease any more, and its calls find another home or none.
  static let longestUnheard = Duration.seconds(20)
  /// Who lives and hears the store late asks for longer than one that has just returned.
  static let longestAsked = Duration.seconds(20)

  var isSettled: Bool { stage == .settled }
  var isSure: Bool { isSettled && unheard.isEmpty }

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
    unheard = Set(others.map(\.node))
  }

  mutating func storeWent(beside others: Set<Holder>) {
    stage = .away
    unheard.formUnion(others.map(\.node))
  }

  /// The store has forgotten everything over a connection that held. The others notice that a moment later, and until then what they say
  /// is of before.
  mutating func storeBeganAnew(beside others: Set<Holder>, now: Instant) {
    unheard.formUnion(others.map(\.node))
    wordsCountFrom = now + Self.noticing
  }

  /// What is said before the store is back may be lost with it.
  mutating func hasSpoken(_ other: NodeID, now: Instant) {
    if stage != .away, wordsCountFrom.map({ $0 <= now }) ?? true { unheard.remove(other) }
  }

  mutating func hearsNobodyMore() { unheard = [] }

  mutating func returned(_ others: [Holder], now: Instant) {
    guard case .back = stage else { return }
    for other in others { awaited[other] = now + Self.returning }
  }

  mutating func knowsItsCalls(_ other: Holder) { awaited[other] = nil }

  mutating func hears(_ other: NodeID, isAsking: Bool, now: Instant) { askers[other] = isAsking ? askers[other] ?? now : nil }

  /// Whether another node may have to say whose a call is.
  func isAsked(now: Instant) -> Bool { askers.values.contains { now - $0 < Self.longestAsked } }

  mutating func awaitsNobody() { awaited = [:] }

  mutating func died(_ other: Holder) { (awaited[other], askers[other.node]) = (nil, nil) }

  /// Whether new slots are claimed from now on.
  mutating func hasEnded(now: Instant) -> Bool {
    guard case .back(let moment) = stage, moment <= now, awaited.values.allSatisfy({ $0 <= now }), !isAsked(now: now) else { return false }
    (stage, awaited) = (.settled, [:])
    return true
  }
}

extension Switchboard {
  /// The store may not know yet whose the calls are.
  public var isSettling: Bool { !settling.isSettled }

  /// Whether there is nothing, as far as anybody can know, where neither the store nor this node knows of anything.
  public var isSure: Bool { settling.isSure }

  /// Whether this node has calls of a former life, and has not heard yet whose they are; or has some, or ended some, and the store has not
  /// heard that.
  public func isAsking(now: Instant) -> Bool {
    formerLife != nil || !inDoubt.isEmpty || (isPassive && !calls.isEmpty) || debts.hasWords(now: now)
  }

  /// Whether some of them were others' before, or may have been: their homes of before let it speak first.
  public func isHeir(now: Instant) -> Bool {
    let isAway = isPassive || settling.stage == .away
    return debts.hasEnds(now: now) || calls.values.contains { $0.homes > 0 && (isAway || inDoubt.contains($0.id) || said[$0.id] == nil) }
  }

  /// A peer has none.
  public mutating func peerKnowsItsCalls(_ holder: Holder) { settling.knowsItsCalls(holder) }

  /// The store answers a peer, and has heard what that had to say.
  public mutating func peerHasSpoken(_ node: NodeID, now: Instant) { settling.hasSpoken(node, now: now) }

  public mutating func peer(_ node: NodeID, isAsking: Bool, isHeir: Bool, now: Instant) {
    settling.hears(node, isAsking: isAsking, now: now)
    if isHeir { heirs.insert(node) } else { heirs.remove(node) }
  }

  /// The way to the store is gone.
  public mutating func storeWent(now: Instant) {
    guard isRecording else { return }
    settling.storeWent(beside: living.subtracting([holder]))
    deadlines.set(nil, for: .unheard)
    deadlines.set(now + Settling.look, for: .settling)
  }

  /// Without having been away.
  public mutating func storeBeganAnew(now: Instant) {
    if isRecording { settling.storeBeganAnew(beside: living.subtracting([holder]), now: now) }
  }

  mutating func storeIsBack(now: Instant) -> [Action] {
    guard isRecording else { return [] }
    settling.stage = .back(goesOn: now + Settling.time)
    deadlines.set(now + Settling.longestUnheard, for: .unheard)
    // This node may be gone before it would say them again.
    if !debts.isEmpty { deadlines.set(now, for: .debts) }
    return settlingLooked(now: now)
  }

  /// It has answered others all the time, and has lost nothing; nor had it for so long before that everybody has said what he had.
  ///
  /// - Parameter gap: for how long this node had no answer.
  public mutating func storeIsWhole(for gap: Duration, now: Instant) {
    guard case .back = settling.stage else { return }
    settling.stage = .back(goesOn: now)
    settling.hearsNobodyMore()
    if gap >= Settling.longest { settling.awaitsNobody() }
    deadlines.set(now, for: .settling)
    if !debts.isEmpty { deadlines.set(now, for: .debts) }
  }

  /// Calls that have come meanwhile claim their slots, or have waited for too long.
  mutating func settlingLooked(now: Instant) -> [Action] {
    let taken = settling.mayTakeUp(now: now) ? takeUp(now: now) : []
    let waiting = waitingForSlot(calls.values)
    if settling.hasEnded(now: now) {
      deadlines.set(nil, for: .settling)
      return taken + waiting.flatMap { claimSlot($0, now: now) }
    }
    deadlines.set(now + Settling.look, for: .settling)
    // A store that is back is soon settled.
    let longest = settling.stage == .away ? Self.longestClaim : Self.longestClaim + Settling.longest
    return taken + waiting.filter { now - $0.began >= longest }.flatMap { withoutSlot($0, now: now) }
  }

  /// The oldest first.
  func waitingForSlot(_ calls: some Sequence<Call>) -> [Call] {
    guard !isPassive else { return [] }
    return calls.filter { $0.slot != nil && !inDoubt.contains($0.id) }.sorted { ($0.began, $0.id) < ($1.began, $1.id) }
  }
}
