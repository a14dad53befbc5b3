import Cluster
public import Primitives
public import Store
import Switchboard

/// Who lives: what membership decides, and what it hears.
extension NodeCore {
  /// The holder that this node is; nil while it is none.
  public var holder: Holder? { membership.holder }

  mutating func follow(_ decided: [Membership.Action], now: Instant) -> [Action] {
    var actions: [Action] = []
    for action in decided { actions += follow(action, now: now) }
    return actions
  }

  private mutating func follow(_ action: Membership.Action, now: Instant) -> [Action] {
    switch action {
    case .join(let last): [.store(.joinCluster(membership.node, peerAddress: peerAddress, after: last), .join(sentAt: now))]
    case .renew(let holder, let sentAt): [.store(.renewLease(holder, peerAddress: peerAddress), .renew(holder, sentAt: sentAt))]
    case .renewThrough(let peer, let holder, let sentAt): [.renewThrough(peer, holder, sentAt: sentAt)]
    case .readMembers(let sentAt): [.store(.members, .members(sentAt: sentAt))]
    case .bury(let holder, let pause): [.store(.buryLease(holder, unrenewedFor: pause), .bury(holder))]
    case .leave(let holder): [.store(.leaveCluster(holder), .leave)]
    case .greetPeers(let members): [.greet(members, greeting(now: now))]
    case .knock(let member): [.knock(member.holder.node)]
    case .stoodUp(let holder): stoodUp(holder, now: now)
    case .stoodDown: stoodDown(now: now)
    case .lives(let holders): lives(holders, now: now)
    case .died(let holder): died(holder, now: now)
    }
  }

  private var peerAddress: String { place?.peerAddress ?? "" }

  private func greeting(now: Instant) -> Greeting {
    let store = membership.storeWord(now: now)
    return Greeting(
      holder: membership.holder, storeAnswers: store != nil, accounts: ownership.owned.count, store: store,
      isAsking: switchboard.isAsking(now: now), isHeir: switchboard.isHeir(now: now),
      sentAt: now)
  }

  private mutating func stoodUp(_ holder: Holder, now: Instant) -> [Action] {
    withoutLeaseSince = nil
    // A process that has just begun has had no answer before.
    if !switchboard.isRecording { storeGap = (now - Settling.longest, now) }
    return [.note(.stoodUp(holder))] + settle(switchboard.stoodUp(holder, now: now), now: now)
      + follow(ownership.stoodUp(holder, now: now), now: now)
  }

  private mutating func stoodDown(now: Instant) -> [Action] {
    withoutLeaseSince = now
    deadlines.set(now + Errand.patienceWithoutLease, for: .withoutLease)
    return [.note(.stoodDown)] + follow(ownership.stoodDown(), now: now)
  }

  private mutating func lives(_ holders: [Holder], now: Instant) -> [Action] {
    ownership.lives(holders, now: now)
    switchboard.lives(holders, now: now)
    return [.note(.lives(holders.count))]
  }

  private mutating func died(_ holder: Holder, now: Instant) -> [Action] {
    takeovers.nodes += 1
    accountsOf[holder.node] = nil
    switchboard.died(holder)
    return [.note(.died)] + follow(ownership.died(holder), now: now)
  }

  // MARK: The store

  mutating func joined(_ reply: StoreReply, sentAt: Instant, now: Instant) -> [Action] {
    guard case .joined(let holder) = reply else { return joinFailed(reply) }
    joinRefusal = nil
    return follow(membership.joined(holder, sentAt: sentAt, now: now), now: now)
  }

  /// Asked again soon: whoever has the name may leave. Said once.
  private mutating func joinFailed(_ reply: StoreReply) -> [Action] {
    membership.joinFailed()
    guard case .joinRefused(let why) = reply, joinRefusal != why else { return [] }
    joinRefusal = why
    return [.note(.joinRefused(why))]
  }

  mutating func renewed(_ holder: Holder, _ reply: StoreReply, sentAt: Instant, now: Instant) -> [Action] {
    switch reply {
    case .renewed:
      membership.renewed(holder, sentAt: sentAt, throughPeer: false, now: now)
      return []
    case .leaseLost: return follow(membership.leaseLost(holder, now: now), now: now)
    default: return storeFailed()
    }
  }

  mutating func buried(_ holder: Holder, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .buried: return follow(membership.buried(holder, now: now), now: now)
    case .leaseLives:
      membership.leaseLives(holder, now: now)
      return []
    default: return storeFailed()
    }
  }

  mutating func membersRead(_ reply: StoreReply, sentAt: Instant, now: Instant) -> [Action] {
    guard case .members(let members) = reply else { return storeFailed() }
    return follow(membership.membersRead(members, sentAt: sentAt, now: now), now: now)
  }

  /// The store did not answer.
  mutating func storeFailed() -> [Action] {
    membership.storeFailed()
    return []
  }

  // MARK: Peers

  public mutating func peer(_ event: PeerEvent, now: Instant) -> [Action] {
    switch event {
    case .heard(let peer, let greeting):
      membership.heard(peer, storeAnswers: greeting.storeAnswers, greeting.store, now: now)
      hear(greeting, from: peer, now: now)
      return []
    case .lost(let peer): return follow(membership.lost(peer), now: now)
    case .refused(let peer): return follow(membership.refused(peer, now: now), now: now)
    }
  }

  private mutating func hear(_ greeting: Greeting, from peer: NodeID, now: Instant) {
    accountsOf[peer] = greeting.accounts
    if let mark = greeting.postmark { peerClocks.learn(mark, now: now) }
    if let holder = greeting.holder, !greeting.isAsking { switchboard.peerKnowsItsCalls(holder) }
    if greeting.storeAnswers, !greeting.isAsking { switchboard.peerHasSpoken(peer, now: now) }
    switchboard.peer(peer, isAsking: greeting.isAsking, isHeir: greeting.isHeir, now: now)
    lookAtStore(now: now)
  }

  private mutating func lookAtStore(now: Instant) {
    guard let gap = storeGap, membership.storeAnsweredOthers(since: gap.from, until: gap.to, now: now) else { return }
    storeGap = nil
    switchboard.storeIsWhole(for: gap.to - gap.from, now: now)
  }

  /// A peer has spoken, and hears the same of us.
  public mutating func greeted(_ greeting: Greeting, by peer: NodeID, now: Instant) -> Greeting {
    membership.greeted(by: peer, storeAnswers: greeting.storeAnswers, now: now)
    hear(greeting, from: peer, now: now)
    return self.greeting(now: now)
  }

  /// A peer that the store does not answer asks us to renew its lease; `answerRenewal` follows.
  public mutating func renew(_ holder: Holder, for id: PeerRequestID, now: Instant) -> [Action] {
    [.store(.renewLease(holder, peerAddress: nil), .renewFor(id))]
  }

  /// What a peer said that was asked to renew ours.
  public mutating func renewalAnswered(
    _ holder: Holder, sentAt: Instant, _ result: Result<RenewalOutcome, PeerFailure>, now: Instant
  ) -> [Action] {
    switch result {
    case .success(.renewed):
      membership.renewed(holder, sentAt: sentAt, throughPeer: true, now: now)
      return []
    case .success(.leaseLost): return follow(membership.leaseLost(holder, now: now), now: now)
    case .success(.storeFailed), .failure: return []
    }
  }
}
