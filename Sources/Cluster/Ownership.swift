public import Primitives
public import Store

/// Which accounts this node keeps: it claims those that rendezvous hashing gives it and nobody living has, first those with a call, and
/// lets go gently of those that belong to a node that has come.
public struct Ownership: Sendable, Equatable {
  public enum Action: Sendable, Equatable {
    /// What nobody takes care of; the reply comes back as `straysRead`.
    case readStrays(Holder)
    /// As `pageRead`.
    case readAccounts(of: Holder?, after: AccountID?)
    /// Accounts that have a call there; as `homesRead`.
    case readHomes(Holder, after: AccountID?)
    /// All in one command; as `claimed`.
    case claim([StoreReply.ListedAccount], Holder)
    /// Hand it over; when it is let go, `released`.
    case handOver(AccountID, Fence)
    /// This node is the account's owner from now on.
    case own(Snapshot, Fence)
    /// Calls of an account that this node owns are without a home.
    case adoptCalls(AccountID, from: NodeID)
    /// Another one has it: forget it without a word to anybody.
    case disown(AccountID)
    /// Nothing is done for any of them until this node stands up again, and finds out which are still its own.
    case suspendAll
  }

  /// Commands with claims that are under way at once.
  static let mostClaims = 4
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
  private var queue = ClaimQueue()
  private var claiming: Set<AccountID> = []
  private var claimsUnderWay = 0
  /// Nobody knows whether these were claimed: they are claimed once more.
  private var unanswered: [StoreReply.ListedAccount] = []
  /// At the last sweep the store had more accounts for this node than it knows of.
  private var misses = false
  private var moving: Set<AccountID> = []
  private var nextSweep: Instant
  private var nextMove: Instant
  private var isLeaving = false

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

  /// What this node owned in a former life is free again, and the first sweep finds it.
  public mutating func stoodUp(_ holder: Holder, now: Instant) -> [Action] {
    self.holder = holder
    nextSweep = now + Self.sweepPause
    return [.readStrays(holder)]
  }

  /// Others have what this node owned, or will, unless the store itself has forgotten everything.
  public mutating func stoodDown() -> [Action] {
    holder = nil
    (owned, queue, claiming, claimsUnderWay, moving, unanswered, misses) = ([:], ClaimQueue(), [], 0, [], [], false)
    return [.suspendAll]
  }

  /// This node goes: everything is handed over as fast as the providers' pacing allows, nothing new is claimed.
  public mutating func leave(now: Instant) -> [Action] {
    isLeaving = true
    (queue, unanswered) = (ClaimQueue(), [])
    return handOver(owned.keys.sorted()[...])
  }

  // MARK: The others

  public mutating func lives(_ holders: [Holder], now: Instant) {
    guard holders != living else { return }
    living = holders
    changedAt = now
  }

  /// Calls first: they are what somebody waits for.
  public func died(_ dead: Holder) -> [Action] {
    holder == nil || isLeaving ? [] : [.readHomes(dead, after: nil), .readAccounts(of: dead, after: nil)]
  }

  /// Whoever died before anybody living met it, whoever was let go of by nobody's hand: all is found here in the end. Not while it is
  /// known what to claim anyway.
  public mutating func straysRead(_ strays: Strays) -> [Action] {
    guard let holder, !isLeaving, queue.isEmpty else { return [] }
    let unowned: [Action] = strays.unowned > 0 ? [.readAccounts(of: nil, after: nil)] : []
    return strays.dead.flatMap { died($0) } + unowned + missing(strays, holder)
  }

  /// The store gave this node an account, and the answer was lost. Twice in a row: nothing that is on its way explains it.
  private mutating func missing(_ strays: Strays, _ holder: Holder) -> [Action] {
    let missed = misses
    misses = strays.owned > owned.count
    return missed && misses ? [.readAccounts(of: holder, after: nil)] : []
  }

  public mutating func homesRead(_ dead: Holder, _ accounts: [StoreReply.ListedAccount], next: AccountID?) -> [Action] {
    var actions: [Action] = []
    for account in accounts {
      if owned[account.id] != nil { actions.append(.adoptCalls(account.id, from: dead.node)) } else { enqueue(account, isUrgent: true) }
    }
    return actions + (next.map { [.readHomes(dead, after: $0)] } ?? []) + claimNext()
  }

  public mutating func pageRead(of owner: Holder?, _ accounts: [StoreReply.ListedAccount], next: AccountID?) -> [Action] {
    let lost = accounts.filter { isLost($0, to: owner) }.flatMap { fenced($0.id) }
    for account in accounts { enqueue(account, isUrgent: false, isOurs: owner != nil && owner == holder) }
    return lost + (next.map { [.readAccounts(of: owner, after: $0)] } ?? []) + claimNext()
  }

  /// A node that came back may have said that it had the account last, in the name of a life that is over, or have let it go since.
  private func isLost(_ account: StoreReply.ListedAccount, to owner: Holder?) -> Bool {
    guard owner != holder, let fence = owned[account.id], let epoch = account.epoch else { return false }
    return epoch > fence.epoch
  }

  // MARK: Claims

  private mutating func enqueue(_ account: StoreReply.ListedAccount, isUrgent: Bool, isOurs: Bool = false) {
    guard holder != nil, !isLeaving, isOurs || owner(of: account.id) == node, owned[account.id] == nil, !claiming.contains(account.id)
    else { return }
    queue.append(account, isUrgent: isUrgent)
  }

  private mutating func claimNext() -> [Action] {
    guard let holder else { return [] }
    var actions: [Action] = []
    while claimsUnderWay < Self.mostClaims {
      let accounts = queue.take(StoreCommand.claimsAtOnce)
      guard !accounts.isEmpty else { break }
      claiming.formUnion(accounts.map(\.id))
      claimsUnderWay += 1
      actions.append(.claim(accounts, holder))
    }
    return actions
  }

  /// An account that was written here for the first time, and claimed.
  public mutating func created(_ account: AccountID, _ fence: Fence) {
    if holder == fence.holder { owned[account] = fence }
  }

  public mutating func claimed(_ asked: [StoreReply.ListedAccount], by claimer: Holder, _ reply: StoreReply) -> [Action] {
    guard let holder, claimer == holder else { return [] }
    claimsUnderWay -= 1
    claiming.subtract(asked.map(\.id))
    guard case .claims(let outcomes) = reply, outcomes.count == asked.count else {
      unanswered += asked
      return claimNext()
    }
    return zip(asked, outcomes).flatMap { claimed($0, holder, $1) } + claimNext()
  }

  private mutating func claimed(_ asked: StoreReply.ListedAccount, _ holder: Holder, _ outcome: StoreReply) -> [Action] {
    switch outcome {
    case .owned(let epoch, let snapshot):
      let fence = Fence(holder: holder, epoch: epoch)
      owned[asked.id] = fence
      return [.own(snapshot, fence)]
    // With the same epoch it is refused because its owner lives, as far as the store knows.
    case .ownedBy(let other) where !living.contains(other.holder) && other.epoch != asked.epoch:
      enqueue(StoreReply.ListedAccount(id: asked.id, epoch: other.epoch), isUrgent: true)
    case .unavailable: unanswered.append(asked)
    default: break
    }
    return []
  }

  /// The store has seen a newer owner: one of two claimants yields.
  public mutating func fenced(_ account: AccountID) -> [Action] {
    moving.remove(account)
    return owned.removeValue(forKey: account) == nil ? [] : [.disown(account)]
  }

  // MARK: Moves

  public mutating func deadlineReached(now: Instant) -> [Action] {
    guard let holder else { return [] }
    var actions: [Action] = []
    if nextSweep <= now {
      nextSweep = now + Self.sweepPause
      if !isLeaving { actions += sweep(holder) }
    }
    if nextMove <= now {
      nextMove = now + Self.movePause
      actions += moveSome(now: now)
    }
    return actions
  }

  private mutating func sweep(_ holder: Holder) -> [Action] {
    for account in unanswered { enqueue(account, isUrgent: true, isOurs: true) }
    unanswered = []
    return [.readStrays(holder)] + claimNext()
  }

  private mutating func moveSome(now: Instant) -> [Action] {
    // What could not go yet, since a call rang, goes now.
    guard !isLeaving else { return handOver(owned.keys.filter { !moving.contains($0) }.sorted()) }
    guard now - changedAt >= Self.settling, moving.count < Self.mostMoves else { return [] }
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

  /// It could not be handed over now: something is going on in it.
  public mutating func kept(_ account: AccountID) { moving.remove(account) }

  public var isEmpty: Bool { owned.isEmpty && claiming.isEmpty }
}
