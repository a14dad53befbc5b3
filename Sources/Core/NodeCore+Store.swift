import Cluster
public import Primitives
public import Store
import Switchboard

/// What the store says.
extension NodeCore {
  public mutating func storeReplied(_ question: Question, _ reply: StoreReply, now: Instant) -> [Action] {
    switch question {
    case .switchboard(let tag): switchboardHears(tag, reply, now: now)
    case .join(let sentAt): joined(reply, sentAt: sentAt, now: now)
    case .renew(let holder, let sentAt): renewed(holder, reply, sentAt: sentAt, now: now)
    case .renewFor(let peer): [.answerRenewal(peer, RenewalOutcome(reply))]
    case .members(let sentAt): membersRead(reply, sentAt: sentAt, now: now)
    case .bury(let holder): buried(holder, reply, now: now)
    case .leave: [.left]
    case .strays: straysRead(reply, now: now)
    case .accounts(let owner): accountsRead(of: owner, reply, now: now)
    case .homes(let dead): homesRead(dead, reply, now: now)
    case .claim(let accounts, let holder): follow(ownership.claimed(accounts, by: holder, reply), now: now)
    case .whereabouts(let id): found(id, reply, now: now)
    case .recall(let id): recalled(id, reply, now: now)
    case .seek(let id): found(id, reply, now: now)
    case .nothing: []
    }
  }

  private mutating func switchboardHears(_ tag: Switchboard.StoreTag, _ reply: StoreReply, now: Instant) -> [Action] {
    if place != nil {
      switchboard.footing = Footing(renewedAt: membership.renewedAt, isUndisputed: membership.isUndisputed(now: now))
    }
    return settle(switchboard.storeReplied(tag, reply, now: now), now: now)
  }

  /// The connection to the store is gone.
  public mutating func storeWent(now: Instant) -> [Action] {
    // A process that was stopped hears of it late; and where it goes again before all is known, the first time counts.
    storeWentAt = storeWentAt ?? (switchboard.isSettling ? storeGap?.from : nil) ?? membership.lastAnswer ?? now
    switchboard.storeWent(now: now)
    return storeFailed()
  }

  /// The store answers again after a break, or another server is its primary: whoever owns says so.
  public mutating func storeCameBack(now: Instant) -> [Action] {
    storeGap = storeWentAt.map { ($0, now) }
    storeWentAt = nil
    return settle(switchboard.reassert(now: now), now: now)
  }

  /// It answers as before, and has forgotten everything.
  public mutating func storeBeganAnew(now: Instant) -> [Action] {
    switchboard.storeBeganAnew(now: now)
    return storeCameBack(now: now)
  }
}

extension RenewalOutcome {
  init(_ reply: StoreReply) {
    switch reply {
    case .renewed: self = .renewed
    case .leaseLost: self = .leaseLost
    default: self = .storeFailed
    }
  }
}
