import Primitives

/// Who has a lease, in the embedded store.
struct Membership: Sendable {
  private var incarnations: [NodeID: UInt64] = [:]
  private var leases: [NodeID: Lease] = [:]

  private struct Lease: Sendable {
    let incarnation: UInt64
    let peerAddress: String
    var until: Instant
  }

  /// At least the time in seconds: also after the store has lost everything no incarnation comes again.
  mutating func join(_ node: NodeID, _ peerAddress: String, limit: Int, now: Instant) -> StoreReply {
    guard incarnations[node] != nil || incarnations.count < limit else { return .full }
    let incarnation = max((incarnations[node] ?? 0) + 1, UInt64(max(now.seconds, 0)))
    incarnations[node] = incarnation
    leases[node] = Lease(incarnation: incarnation, peerAddress: peerAddress, until: now + Member.lease)
    return .joined(Holder(node: node, incarnation: incarnation))
  }

  mutating func renew(_ holder: Holder, now: Instant) -> StoreReply {
    guard let lease = leases[holder.node], lease.incarnation == holder.incarnation, lease.until > now else { return .leaseLost }
    leases[holder.node]?.until = now + Member.lease
    return .renewed
  }

  mutating func end(_ holder: Holder) -> StoreReply {
    if leases[holder.node]?.incarnation == holder.incarnation { leases[holder.node] = nil }
    return .done
  }

  func members(now: Instant) -> [Member] {
    leases.filter { $0.value.until > now }.sorted { $0.key < $1.key }.map { node, lease in
      Member(
        holder: Holder(node: node, incarnation: lease.incarnation), peerAddress: lease.peerAddress, remaining: now.duration(to: lease.until)
      )
    }
  }
}
