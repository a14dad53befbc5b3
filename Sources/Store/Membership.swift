import Primitives

/// Who lives, in the embedded store.
///
/// A lease that has run out is not the end of its holder: where nobody judged it, the next renewal is granted. Whether a holder is dead
/// is decided here and nowhere else, once, by `bury`, or by the next life of its node; from then on no renewal is granted, and others
/// may claim what it owned.
///
/// A fail-over may lose a burial that was acknowledged, and claims with it. The buried holder may then renew again. It is not the owner
/// again by that: whoever claimed an account has a greater epoch and says so (`restore`), at the latest with its next write, and from
/// then on the former owner's writes are fenced. Where two had claimed the same account with the same epoch, one on each side of the
/// fail-over, the one that comes second is fenced.
struct Membership: Sendable {
  private var lives: [NodeID: Life] = [:]

  /// What is known of a node; 0 where nothing is.
  private struct Life: Sendable {
    var newest: UInt64 = 0
    /// This incarnation and all before it are dead.
    var buried: UInt64 = 0
    var lease: Lease?

    func isDead(_ incarnation: UInt64) -> Bool { incarnation < newest || incarnation <= buried }

    /// Whether a process at another address has a lease.
    func isLed(besides address: String, now: Instant) -> Bool {
      guard let lease, !isDead(lease.incarnation), let other = lease.peerAddress else { return false }
      return other != address && lease.until > now
    }
  }

  private struct Lease: Sendable {
    let incarnation: UInt64
    /// nil: not known (any more); who has no address is in no list.
    var peerAddress: String?
    var until: Instant
  }

  /// At least the time in seconds: also after the store has lost everything no incarnation comes again. `last`: what the node itself
  /// remembers.
  mutating func join(_ node: NodeID, _ peerAddress: String, after last: UInt64, limit: Int, now: Instant) -> StoreReply {
    guard hasRoom(for: node, limit) else { return .full }
    let life = lives[node] ?? Life()
    guard !life.isLed(besides: peerAddress, now: now) else { return .joinRefused(.nameTaken) }
    let incarnation = max(life.newest + 1, life.buried + 1, last + 1, UInt64(max(now.seconds, 0)))
    let lease = Lease(incarnation: incarnation, peerAddress: peerAddress, until: now + Member.lease)
    lives[node] = Life(newest: incarnation, buried: life.buried, lease: lease)
    return .joined(Holder(node: node, incarnation: incarnation))
  }

  mutating func renew(_ holder: Holder, _ peerAddress: String?, limit: Int, now: Instant) -> StoreReply {
    guard hasRoom(for: holder.node, limit) else { return .full }
    guard !isDead(holder) else { return .leaseLost }
    let known = lives[holder.node]?.lease
    let address = peerAddress ?? (known?.incarnation == holder.incarnation ? known?.peerAddress : nil)
    grant(holder, Lease(incarnation: holder.incarnation, peerAddress: address, until: now + Member.lease))
    return .renewed
  }

  /// One that is not known, since the store has lost it, may not have had the time to say that it lives: it counts as renewed now.
  mutating func bury(_ holder: Holder, unrenewedFor pause: Duration, now: Instant) -> StoreReply {
    guard !isDead(holder) else { return .buried }
    if lives[holder.node]?.lease?.incarnation != holder.incarnation {
      grant(holder, Lease(incarnation: holder.incarnation, peerAddress: nil, until: now + Member.lease))
    }
    guard let until = lives[holder.node]?.lease?.until, max(now - until + Member.lease, .zero) >= pause else { return .leaseLives }
    lives[holder.node]?.buried = holder.incarnation
    lives[holder.node]?.lease = nil
    return .buried
  }

  private mutating func grant(_ holder: Holder, _ lease: Lease) {
    let buried = lives[holder.node]?.buried ?? 0
    lives[holder.node] = Life(newest: holder.incarnation, buried: buried, lease: lease)
  }

  func isDead(_ holder: Holder) -> Bool { lives[holder.node]?.isDead(holder.incarnation) ?? false }

  func hasLease(_ holder: Holder, now: Instant) -> Bool {
    guard let lease = lives[holder.node]?.lease else { return false }
    return lease.incarnation == holder.incarnation && lease.until > now
  }

  private func hasRoom(for node: NodeID, _ limit: Int) -> Bool { lives[node] != nil || lives.count < limit }

  func members(now: Instant) -> [Member] {
    lives.sorted { $0.key < $1.key }.compactMap { node, life in
      guard let lease = life.lease, let address = lease.peerAddress else { return nil }
      return Member(
        holder: Holder(node: node, incarnation: lease.incarnation), peerAddress: address,
        remaining: max(now.duration(to: lease.until), .zero))
    }
  }
}
