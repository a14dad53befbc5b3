public import Primitives
public import Store

/// Which accounts this node keeps: it claims those that rendezvous hashing gives it and nobody living has, first those with a call, and
/// lets go gently of those that belong to a node that has come.
public struct Ownership: Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    /// The reply comes back as `pageRead`.
    case readAccounts(of: NodeID?, after: AccountID?)
    /// Accounts that have a call at a node; as `homesRead`.
    case readHomes(NodeID, after: AccountID?)
    /// As `claimed`.
    case claim(AccountID, Holder, expecting: Epoch?)
    /// Hand it over; when it is let go, `released`.
    case handOver(AccountID, Fence)
    /// This node is the account's owner from now on.
    case own(Snapshot, Fence)
    /// Calls of an account that this node owns are without a home.
    case adoptCalls(AccountID, from: NodeID)
    /// Another one has it: forget it without a word to anybody.
    case disown(AccountID)
  }

  /// Claims under way at once.
  static let mostClaims = 64
  /// Handed over in one round of a second: an account that moves costs a REGISTER.
  static let mostMoves = 20
  static let sweepPause = Duration.seconds(2)
  static let movePause = Duration.seconds(1)
  /// A node that has come has to stay for so long before anything moves to it.
  static let settling = Duration.seconds(5)

  public let node: NodeID
  private var holder: Holder?
  private var living: [Holder] = []
  private var changedAt: Instant
  public private(set) var owned: [AccountID: Fence] = [:]
  /// Waiting to be claimed: those with a call, then the others, in the order of coming.
  private var urgent: [Candidate] = []
  private var ordinary: [Candidate] = []
  private var queued: Set<AccountID> = []
  private var claiming: Set<AccountID> = []
  private var moving: Set<AccountID> = []
  private var nextSweep: Instant
  private var nextMove: Instant
  private var isLeaving = false

  private struct Candidate: Sendable, Equatable {
    let account: AccountID
    let epoch: Epoch?
  }

  public init(node: NodeID, now: Instant) {
    self.node = node
    changedAt = now
    nextSweep = now
    nextMove = now + Self.movePause
  }

  public var nextDeadline: Instant? { holder == nil ? nil : min(nextSweep, nextMove) }

  /// The node that should have the account.
  public func owner(of account: AccountID) -> NodeID? { Rendezvous.owner(of: account, among: living.map(\.node)) }

  // MARK: The node itself

  /// What this node owned in a former life is free again.
  public mutating func stoodUp(_ holder: Holder, now: Instant) -> [Action] {
    self.holder = holder
    nextSweep = now
    return died(node)
  }

  /// Everything is lost at once: others have it, or will.
  public mutating func stoodDown() -> [Action] {
    holder = nil
    let lost = owned.keys.sorted()
    (owned, urgent, ordinary, queued, claiming, moving) = ([:], [], [], [], [], [])
    return lost.map { .disown($0) }
  }

  /// This node goes: everything is handed over as fast as the providers' pacing allows, nothing new is claimed.
  public mutating func leave(now: Instant) -> [Action] {
    isLeaving = true
    (urgent, ordinary, queued) = ([], [], [])
    return handOver(owned.keys.sorted()[...])
  }

  // MARK: The others

  public mutating func lives(_ holders: [Holder], now: Instant) {
    guard holders != living else { return }
    living = holders
    changedAt = now
  }

  /// Calls first: they are what somebody waits for.
  public func died(_ dead: NodeID) -> [Action] {
    holder == nil || isLeaving ? [] : [.readHomes(dead, after: nil), .readAccounts(of: dead, after: nil)]
  }

  public mutating func homesRead(_ dead: NodeID, _ accounts: [(AccountID, Epoch?)], next: AccountID?, now: Instant) -> [Action] {
    var actions: [Action] = []
    for (account, epoch) in accounts {
      if owned[account] != nil { actions.append(.adoptCalls(account, from: dead)) } else { enqueue(account, epoch, isUrgent: true) }
    }
    return actions + (next.map { [.readHomes(dead, after: $0)] } ?? []) + claimNext()
  }

  public mutating func pageRead(of owner: NodeID?, _ accounts: [(AccountID, Epoch?)], next: AccountID?, now: Instant) -> [Action] {
    for (account, epoch) in accounts { enqueue(account, epoch, isUrgent: false) }
    return (next.map { [.readAccounts(of: owner, after: $0)] } ?? []) + claimNext()
  }

  // MARK: Claims

  private mutating func enqueue(_ account: AccountID, _ epoch: Epoch?, isUrgent: Bool) {
    guard holder != nil, !isLeaving, owner(of: account) == node, owned[account] == nil, !claiming.contains(account),
      queued.insert(account).inserted
    else { return }
    let candidate = Candidate(account: account, epoch: epoch)
    if isUrgent { urgent.append(candidate) } else { ordinary.append(candidate) }
  }

  private mutating func claimNext() -> [Action] {
    var actions: [Action] = []
    while let holder, claiming.count < Self.mostClaims, let next = urgent.first ?? ordinary.first {
      if urgent.isEmpty { ordinary.removeFirst() } else { urgent.removeFirst() }
      queued.remove(next.account)
      claiming.insert(next.account)
      actions.append(.claim(next.account, holder, expecting: next.epoch))
    }
    return actions
  }

  /// An account that was written here for the first time.
  public mutating func created(_ account: AccountID) -> [Action] {
    guard let holder, owned[account] == nil, claiming.insert(account).inserted else { return [] }
    return [.claim(account, holder, expecting: nil)]
  }

  public mutating func claimed(_ account: AccountID, _ outcome: StoreReply, now: Instant) -> [Action] {
    guard claiming.remove(account) != nil, let holder else { return claimNext() }
    switch outcome {
    case .owned(let epoch, let snapshot):
      let fence = Fence(holder: holder, epoch: epoch)
      owned[account] = fence
      return [.own(snapshot, fence)] + claimNext()
    case .ownedBy(let other) where !living.contains(other.holder):
      enqueue(account, other.epoch, isUrgent: true)
      return claimNext()
    default: return claimNext()
    }
  }

  /// The store has seen a newer owner: one of two claimants yields.
  public mutating func fenced(_ account: AccountID) -> [Action] {
    moving.remove(account)
    return owned.removeValue(forKey: account) == nil ? [] : [.disown(account)]
  }

  /// The account is gone for good.
  public mutating func removed(_ account: AccountID) {
    moving.remove(account)
    owned[account] = nil
  }

  // MARK: Moves

  public mutating func deadlineReached(now: Instant) -> [Action] {
    guard holder != nil else { return [] }
    var actions: [Action] = []
    if nextSweep <= now {
      nextSweep = now + Self.sweepPause
      if !isLeaving { actions.append(.readAccounts(of: nil, after: nil)) }
    }
    if nextMove <= now {
      nextMove = now + Self.movePause
      actions += moveSome(now: now)
    }
    return actions
  }

  private mutating func moveSome(now: Instant) -> [Action] {
    guard !isLeaving, now - changedAt >= Self.settling, moving.count < Self.mostMoves else { return [] }
    let misplaced = owned.keys.filter { owner(of: $0) != node && !moving.contains($0) }
    return handOver(misplaced.sorted().prefix(Self.mostMoves - moving.count))
  }

  private mutating func handOver(_ accounts: some Sequence<AccountID>) -> [Action] {
    accounts.compactMap { account in
      guard let fence = owned[account], moving.insert(account).inserted else { return nil }
      return .handOver(account, fence)
    }
  }

  /// Handed over: nobody has it, its new owner finds it.
  public mutating func released(_ account: AccountID) -> [Action] {
    moving.remove(account)
    return owned.removeValue(forKey: account) == nil ? [] : [.disown(account)]
  }

  /// It could not be handed over now: it has a call.
  public mutating func kept(_ account: AccountID) { moving.remove(account) }

  public var isEmpty: Bool { owned.isEmpty && claiming.isEmpty }
}
