import Cluster
public import Primitives
public import Store
import Switchboard

/// Who owns what: accounts in and out of the switchboard.
extension NodeCore {
  mutating func follow(_ decided: [Ownership.Action], now: Instant) -> [Action] {
    var actions: [Action] = []
    for action in decided { actions += follow(action, now: now) }
    return actions
  }

  private mutating func follow(_ action: Ownership.Action, now: Instant) -> [Action] {
    switch action {
    case .readStrays(let holder): [.store(.strays(holder), .strays)]
    case .readAccounts(let owner, let after): [.store(.accountsOwned(by: owner, after: after), .accounts(of: owner))]
    case .readHomes(let dead, let after): [.store(.homesOf(dead, after: after), .homes(dead))]
    case .claim(let accounts, let holder): [.store(.claimOwners(accounts, holder), .claim(accounts, holder))]
    case .handOver(let account, let fence): settle(switchboard.handOver(account, fence, now: now), now: now)
    case .own(let snapshot, let fence): settle(switchboard.own(snapshot, fence, now: now), now: now)
    case .adoptCalls(let account, let dead): settle(switchboard.adoptCalls(of: account, from: dead), now: now)
    case .disown(let account): settle(switchboard.disown(account, now: now), now: now)
    case .suspendAll: settle(switchboard.suspendAll(now: now), now: now)
    }
  }

  /// What nobody living has.
  mutating func straysRead(_ reply: StoreReply, now: Instant) -> [Action] {
    guard case .strays(let strays) = reply else { return [] }
    unowned = strays.unowned
    return follow(membership.silent(strays.silent, now: now), now: now) + follow(ownership.straysRead(strays), now: now)
  }

  mutating func accountsRead(of owner: Holder?, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .accounts(let accounts, let next) = reply else { return [] }
    return follow(ownership.pageRead(of: owner, accounts, next: next), now: now)
  }

  mutating func homesRead(_ dead: Holder, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .accounts(let accounts, let next) = reply else { return [] }
    return follow(ownership.homesRead(dead, accounts, next: next), now: now)
  }

  // MARK: The switchboard's word

  mutating func handedOver(_ account: AccountID, now: Instant) -> [Action] {
    let released = follow(ownership.released(account), now: now)
    guard let next = ownership.owner(of: account), next != ownership.node else { return released }
    return released + [.handed([account], to: next)]
  }

  // MARK: Peers

  /// A peer has handed these over: nobody owns them now.
  public mutating func handed(_ accounts: [AccountID], now: Instant) -> [Action] {
    follow(ownership.pageRead(of: nil, accounts.map { StoreReply.ListedAccount(id: $0, epoch: nil) }, next: nil), now: now)
  }
}
