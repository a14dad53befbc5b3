public import Cluster
public import Primitives
import SIP
public import Store
public import Switchboard

/// Everything that a node decides: the story of its accounts and calls, who lives, who owns what, which node answers a phone or has the
/// call that a SIP request is about.
///
/// A value: events and the time come in, actions come out, to be done in their order. What stands around it, sockets or a simulated
/// network, only does what the actions say.
public struct NodeCore: Sendable {
  /// Where a node of a cluster is.
  public struct Place: Sendable, Equatable {
    public let node: NodeID
    /// Where its peers reach it, as they are told by the store.
    public let peerAddress: String

    public init(node: NodeID, peerAddress: String) {
      self.node = node
      self.peerAddress = peerAddress
    }
  }

  /// What has a time of its own here.
  enum Timed: Sendable, Hashable {
    case errand(PhoneRequestID)
    case seek(ServerTransactionID)
    case passed(ServerTransactionID)
    case withoutLease
    case leaving
  }

  /// nil: a single node.
  public let place: Place?
  public internal(set) var switchboard: Switchboard
  public internal(set) var membership: Membership
  public internal(set) var ownership: Ownership
  var deadlines = DeadlineQueue<Timed>()

  var errands = Errands()
  /// Requests of phones that came by way of a peer and are answered here.
  var visitors: [PhoneRequestID: Visitor] = [:]
  var peerClocks = PeerClocks()
  /// SIP requests whose call is looked for.
  var seeks: [ServerTransactionID: Seek] = [:]
  /// SIP requests that came by way of a peer: their answers go back by it.
  var fromPeers: [ServerTransactionID: PeerRequestID] = [:]

  /// What each peer said last of how many accounts it owns.
  public internal(set) var accountsOf: [NodeID: Int] = [:]
  /// Accounts without an owner, at the last look.
  public internal(set) var unowned = 0
  public internal(set) var takeovers = Takeovers()
  var isLeaving = false
  var hasHandedOver = false
  /// Since when a node of a cluster has had no lease; nil while it has one.
  var withoutLeaseSince: Instant?
  /// Why the store has not let it join, the last time.
  var joinRefusal: JoinRefusal?
  /// When the store was lost; nil while it is there.
  var storeWentAt: Instant?
  /// When this node heard nothing of the store, the last time.
  var storeGap: (from: Instant, to: Instant)?

  /// What this node has taken over from nodes that were gone.
  public struct Takeovers: Sendable, Equatable {
    public var nodes = 0
    public var accounts = 0
    public var calls = 0
  }

  /// - Parameter place: nil for a single node, which acts from the start.
  public init(settings: Switchboard.Settings, place: Place?, random: SeededRandom, now: Instant) {
    self.place = place
    switchboard = Switchboard(settings: settings, random: random)
    let node = place?.node ?? Holder.alone.node
    membership = Membership(node: node, now: now)
    ownership = Ownership(node: node, now: now)
    // Before its first lease a node of a cluster is as one that has lost it.
    if place != nil { (_, withoutLeaseSince) = (switchboard.suspendAll(now: now), now) }
  }

  // MARK: Time

  /// From now on a node of a cluster joins, renews and claims.
  public mutating func start(now: Instant) -> [Action] { deadlineReached(now: now) }

  /// When `deadlineReached` wants to be called; nil: nothing is due.
  public var nextDeadline: Instant? {
    let own = earlier(switchboard.nextDeadline, deadlines.earliest)
    return place == nil ? own : earlier(own, earlier(membership.nextDeadline, ownership.nextDeadline))
  }

  public mutating func deadlineReached(now: Instant) -> [Action] {
    var actions: [Action] = []
    if place != nil {
      actions += follow(membership.deadlineReached(now: now), now: now)
      actions += follow(ownership.deadlineReached(now: now), now: now)
    }
    actions += settle(switchboard.deadlineReached(now: now), now: now)
    while let due = deadlines.popDue(now: now) { actions += reached(due, now: now) }
    return actions
  }

  private mutating func reached(_ due: Timed, now: Instant) -> [Action] {
    switch due {
    case .errand(let id): route(id)
    case .seek(let id): seekAgain(id, now: now)
    case .withoutLease: sendAway(now: now)
    case .leaving: isLeaving ? leaveAtOnce(now: now) : []
    case .passed(let id): fromPeers.removeValue(forKey: id).map { [.answerPassed($0, nil)] } ?? []
    }
  }

  /// Whether anything may be done in this node's name at this moment. Asked when it is done, not only when it was decided: a process
  /// that was stopped and goes on does nothing in another's name.
  public func mayAct(now: Instant) -> Bool { place == nil || membership.mayAct(now: now) }

  /// Comes before everything else that happens: what was decided without a lease would not be done, and be taken for done.
  public mutating func checkLease(now: Instant) -> [Action] {
    place == nil ? [] : follow(membership.standDownIfDue(now: now), now: now)
  }

  // MARK: The end

  /// This node goes: a single one ends its calls and gives its bindings back, one of a cluster hands over what it has. `left` follows.
  public mutating func leave(now: Instant) -> [Action] {
    isLeaving = true
    guard place != nil else { return settle(switchboard.leave(now: now), now: now) }
    return follow(ownership.leave(now: now), now: now) + leaveIfEmpty(now: now)
  }

  mutating func leaveIfEmpty(now: Instant) -> [Action] {
    guard isLeaving else { return [] }
    guard place != nil else {
      isLeaving = switchboard.load.accounts > 0
      return isLeaving ? [] : [.left]
    }
    guard ownership.isEmpty else { return [] }
    guard !membership.peers.isEmpty else { return leaveAtOnce(now: now) }
    guard !hasHandedOver else { return [] }
    hasHandedOver = true
    deadlines.set(now + Self.lingering, for: .leaving)
    return []
  }

  /// Until the next owners have told the providers where the accounts are: what comes here still is taken.
  private static let lingering = Duration.seconds(2)

  /// There is no more time. What a node of a cluster has not handed over, since a call of it rings, the others find where it has said that
  /// it is gone.
  public mutating func leaveAtOnce(now: Instant) -> [Action] {
    isLeaving = false
    let actions = membership.leave()
    return actions.isEmpty ? [.left] : follow(actions, now: now)
  }
}

/// nil: never.
private func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
