import Cluster
import Core
import Primitives
import Store
import Switchboard

extension ClusterStatus {
  /// What a node knows. Where the store is, its connection knows.
  init(_ core: NodeCore, _ redis: Redis, now: Instant) {
    let own = core.holder.map { Member($0, core.membership.leaseLeft(now: now), isReachable: true, accounts: core.ownership.owned.count) }
    let peers = core.membership.peers.map { peer in
      let node = peer.holder.node
      return Member(
        peer.holder, peer.remaining, isReachable: core.membership.reaches(node, now: now), accounts: core.accountsOf[node] ?? 0)
    }
    self.init(
      isPassive: !core.mayAct(now: now), isSettling: core.switchboard.isSettling || core.switchboard.isAsking(now: now),
      members: (peers + [own].compactMap(\.self)).sorted { $0.name < $1.name }, unowned: core.unowned,
      takeovers: Takeovers(nodes: core.takeovers.nodes, accounts: core.takeovers.accounts, calls: core.takeovers.calls), redis: redis)
  }
}

extension ClusterStatus.Member {
  fileprivate init(_ holder: Holder, _ lease: Duration, isReachable: Bool, accounts: Int) {
    self.init(
      name: holder.node.name, incarnation: holder.incarnation, leaseMS: Int(lease.wholeMilliseconds), isReachable: isReachable,
      accounts: accounts)
  }
}
