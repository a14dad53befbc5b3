import Cluster
import Cryptography
import Network
import Primitives
import SIP
import Store
import Switchboard
import Telemetry

/// Lets membership and ownership decide, and does what they say: leases and claims in the store, words between peers, accounts in and
/// out of the switchboard.
@LoopActor
final class ClusterDriver {
  let node: NodeID
  private var membership: Membership
  private var ownership: Ownership
  private let store: any StoreClient
  private let exchange: Exchange
  private let log: Log
  private let peerAddress: String
  var links: PeerLinks?
  private var timer: LoopTimer?
  private var left: (@LoopActor () -> Void)?
  private var takeovers = ClusterStatus.Takeovers()
  /// Accounts without an owner, at the last look.
  private var unowned = 0
  /// What each peer said last.
  private var accountsOf: [NodeID: Int] = [:]

  init(node: NodeID, peerAddress: String, store: any StoreClient, exchange: Exchange, log: Log) {
    self.node = node
    self.peerAddress = peerAddress
    self.store = store
    self.exchange = exchange
    self.log = log
    membership = Membership(node: node, now: Loop.now())
    ownership = Ownership(node: node, now: Loop.now())
  }

  /// From now on: joins, renews, claims.
  func start() {
    exchange.cluster = self
    tick()
  }

  // MARK: What others ask

  /// Whether anything may be done in this node's name at this moment.
  var mayAct: Bool { membership.mayAct(now: Loop.now()) }

  var holder: Holder? { membership.holder }

  /// The node that should have an account that nobody has.
  func rightfulOwner(of account: AccountID) -> NodeID? { ownership.owner(of: account) }

  func isOwner(of account: AccountID) -> Bool { ownership.owned[account] != nil }

  /// What the status page shows; where the store is, its connection knows.
  func status(_ redis: ClusterStatus.Redis) -> ClusterStatus {
    let now = Loop.now()
    let peers = membership.peers.map { member in
      ClusterStatus.Member(
        name: member.holder.node.name, incarnation: member.holder.incarnation, leaseMS: Int(member.remaining.wholeMilliseconds),
        isReachable: membership.reaches(member.holder.node, now: now), accounts: accountsOf[member.holder.node] ?? 0)
    }
    let own = membership.holder.map { holder in
      ClusterStatus.Member(
        name: node.name, incarnation: holder.incarnation, leaseMS: Int(membership.leaseLeft(now: now).wholeMilliseconds), isReachable: true,
        accounts: ownership.owned.count)
    }
    let members = (peers + [own].compactMap(\.self)).sorted { $0.name < $1.name }
    return ClusterStatus(isPassive: !mayAct, members: members, unowned: unowned, takeovers: takeovers, redis: redis)
  }

  // MARK: Time

  private func tick() {
    let now = Loop.now()
    perform(membership.deadlineReached(now: now))
    perform(ownership.deadlineReached(now: now))
    arm()
  }

  private func arm() {
    guard let due = [membership.nextDeadline, ownership.nextDeadline].compactMap(\.self).min() else { return }
    timer?.cancel()
    timer = Loop.at(due) { [weak self] in self?.tick() }
  }

  // MARK: Membership

  private func perform(_ actions: [Membership.Action]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: Membership.Action) {
    switch action {
    case .join(let last): join(after: last, sentAt: Loop.now())
    case .renew(let holder, let sentAt): renew(holder, sentAt)
    case .renewThrough(let peer, let holder, let sentAt): renew(holder, sentAt, through: peer)
    case .readMembers(let sentAt): readMembers(sentAt)
    case .bury(let holder, let pause): bury(holder, unrenewedFor: pause)
    case .leave(let holder): store.perform(.leaveCluster(holder)) { [weak self] _ in self?.left?() }
    case .greetPeers(let members): links?.greet(members, greeting)
    case .knock(let member): links?.knock(member.holder.node)
    case .stoodUp(let holder): stoodUp(holder)
    case .stoodDown: stoodDown()
    case .lives(let holders): lives(holders)
    case .died(let holder): died(holder)
    }
  }

  private var greeting: Greeting {
    Greeting(
      holder: membership.holder, storeAnswers: membership.storeAnswers(now: Loop.now()), accounts: ownership.owned.count)
  }

  private func bury(_ holder: Holder, unrenewedFor pause: Duration) {
    store.perform(.buryLease(holder, unrenewedFor: pause)) { [weak self] reply in
      guard let self else { return }
      switch reply {
      case .buried: perform(membership.buried(holder, now: Loop.now()))
      case .leaseLives: membership.leaseLives(holder, now: Loop.now())
      default: membership.storeFailed()
      }
    }
  }

  private func join(after last: UInt64, sentAt: Instant) {
    store.perform(.joinCluster(node, peerAddress: peerAddress, after: last)) { [weak self] reply in
      guard let self else { return }
      guard case .joined(let holder) = reply else { return membership.storeFailed() }
      perform(membership.joined(holder, sentAt: sentAt, now: Loop.now()))
    }
  }

  private func renew(_ holder: Holder, _ sentAt: Instant) {
    store.perform(.renewLease(holder, peerAddress: peerAddress)) { [weak self] reply in
      guard let self else { return }
      switch reply {
      case .renewed: membership.renewed(holder, sentAt: sentAt, throughPeer: false, now: Loop.now())
      case .leaseLost: perform(membership.leaseLost(holder, now: Loop.now()))
      default: membership.storeFailed()
      }
    }
  }

  private func renew(_ holder: Holder, _ sentAt: Instant, through peer: NodeID) {
    links?.renew(holder, through: peer) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(.renewed): membership.renewed(holder, sentAt: sentAt, throughPeer: true, now: Loop.now())
      case .success(.leaseLost): perform(membership.leaseLost(holder, now: Loop.now()))
      case .success(.storeFailed), .failure: break
      }
    }
  }

  private func readMembers(_ sentAt: Instant) {
    store.perform(.members) { [weak self] reply in
      guard let self else { return }
      guard case .members(let members) = reply else { return membership.storeFailed() }
      perform(membership.membersRead(members, sentAt: sentAt, now: Loop.now()))
    }
  }

  private func stoodUp(_ holder: Holder) {
    log.info("this node has a lease", .number("incarnation", Int(truncatingIfNeeded: holder.incarnation)))
    exchange.feed { $0.stoodUp(holder, now: $1) }
    perform(ownership.stoodUp(holder, now: Loop.now()))
    arm()
  }

  private func stoodDown() {
    log.warning("this node has no lease and does nothing")
    perform(ownership.stoodDown())
  }

  private func lives(_ holders: [Holder]) {
    log.info("nodes that live", .number("count", holders.count))
    ownership.lives(holders, now: Loop.now())
    exchange.feed { switchboard, _ in
      switchboard.lives(holders)
      return []
    }
  }

  private func died(_ holder: Holder) {
    log.warning("a node has died")
    takeovers.nodes += 1
    perform(ownership.died(holder))
  }

  // MARK: Ownership

  private func perform(_ actions: [Ownership.Action]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: Ownership.Action) {
    switch action {
    case .readStrays(let holder): readStrays(holder)
    case .readAccounts(let owner, let after): readAccounts(of: owner, after)
    case .readHomes(let dead, let after): readHomes(dead, after)
    case .claim(let accounts, let holder): claim(accounts, holder)
    case .handOver(let account, let fence): exchange.feed { $0.handOver(account, fence, now: $1) }
    case .own(let snapshot, let fence): exchange.feed { $0.own(snapshot, fence, now: $1) }
    case .adoptCalls(let account, let dead): exchange.feed { switchboard, _ in switchboard.adoptCalls(of: account, from: dead) }
    case .disown(let account): exchange.feed { $0.disown(account, now: $1) }
    case .suspendAll: exchange.feed { $0.suspendAll(now: $1) }
    }
  }

  private func readStrays(_ holder: Holder) {
    store.perform(.strays(holder)) { [weak self] reply in
      guard let self, case .strays(let strays) = reply else { return }
      unowned = strays.unowned
      perform(membership.silent(strays.silent, now: Loop.now()))
      perform(ownership.straysRead(strays))
    }
  }

  private func readAccounts(of owner: Holder?, _ after: AccountID?) {
    store.perform(.accountsOwned(by: owner, after: after)) { [weak self] reply in
      guard let self, case .accounts(let accounts, let next) = reply else { return }
      perform(ownership.pageRead(of: owner, accounts, next: next))
    }
  }

  private func readHomes(_ dead: Holder, _ after: AccountID?) {
    store.perform(.homesOf(dead, after: after)) { [weak self] reply in
      guard let self, case .accounts(let accounts, let next) = reply else { return }
      perform(ownership.homesRead(dead, accounts, next: next))
    }
  }

  private func claim(_ accounts: [StoreReply.ListedAccount], _ holder: Holder) {
    store.perform(.claimOwners(accounts, holder)) { [weak self] reply in
      guard let self else { return }
      perform(ownership.claimed(accounts, by: holder, reply))
    }
  }

  // MARK: The switchboard's word

  func noted(_ note: Note) {
    switch note {
    case .taken: takeovers.accounts += 1
    case .adopted: takeovers.calls += 1
    default: break
    }
  }

  func owns(_ account: AccountID, _ fence: Fence) { ownership.created(account, fence) }

  func lost(_ account: AccountID) { perform(ownership.fenced(account)) }

  func kept(_ account: AccountID) { ownership.kept(account) }

  func handedOver(_ account: AccountID) {
    perform(ownership.released(account))
    if let next = ownership.owner(of: account), next != node { links?.handed([account], to: next) }
    leaveIfEmpty()
  }

  // MARK: Peers

  func peer(_ event: PeerEvent) {
    let now = Loop.now()
    switch event {
    case .heard(let peer, let greeting): heard(greeting, from: peer, now: now)
    case .lost(let peer): perform(membership.lost(peer))
    case .refused(let peer): perform(membership.refused(peer, now: now))
    }
  }

  private func heard(_ greeting: Greeting, from peer: NodeID, now: Instant) {
    membership.heard(peer, storeAnswers: greeting.storeAnswers, now: now)
    accountsOf[peer] = greeting.accounts
  }

  /// A peer has spoken, and hears the same of us.
  func greeted(_ greeting: Greeting, by peer: NodeID) -> Greeting {
    heard(greeting, from: peer, now: Loop.now())
    return self.greeting
  }

  func renewFor(_ holder: Holder, _ completion: @escaping @LoopActor (RenewalOutcome) -> Void) {
    store.perform(.renewLease(holder, peerAddress: nil)) { reply in
      completion(reply == .renewed ? .renewed : reply == .leaseLost ? .leaseLost : .storeFailed)
    }
  }

  /// Accounts that have no owner now.
  func handed(_ accounts: [AccountID]) {
    perform(ownership.pageRead(of: nil, accounts.map { StoreReply.ListedAccount(id: $0, epoch: nil) }, next: nil))
  }

  // MARK: The end

  /// Hands everything over and goes; `limit` for all of it.
  func leave(within limit: Duration) async {
    perform(ownership.leave(now: Loop.now()))
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      var waiting: CheckedContinuation<Void, Never>? = continuation
      let done: @LoopActor () -> Void = {
        waiting?.resume()
        waiting = nil
      }
      left = done
      _ = Loop.after(limit, done)
      leaveIfEmpty()
    }
    timer?.cancel()
  }

  private func leaveIfEmpty() {
    guard left != nil, ownership.isEmpty else { return }
    let actions = membership.leave()
    actions.isEmpty ? left?() : perform(actions)
  }
}
