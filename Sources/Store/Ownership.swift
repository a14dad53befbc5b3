import Primitives

/// Who owns an account in the embedded store.
struct Ownership: Sendable {
  private(set) var epoch: Epoch?
  private(set) var holder: Holder?

  var fence: Fence? {
    guard let epoch, let holder else { return nil }
    return Fence(holder: holder, epoch: epoch)
  }

  /// Whether a write with this fence is not behind.
  func admits(_ fence: Fence) -> Bool {
    guard let epoch else { return true }
    return epoch < fence.epoch || (epoch == fence.epoch && holder == fence.holder)
  }

  /// Takes over the fence of a write: one that is ahead tells of a claim that the store has lost. false where the write is behind.
  mutating func admit(_ fence: Fence) -> Bool {
    guard admits(fence) else { return false }
    (epoch, holder) = (fence.epoch, fence.holder)
    return true
  }

  /// The first epoch of an account is the time in seconds: also an account that was removed, or lost, and comes again has a greater one
  /// than ever before. nil where it is somebody else's.
  mutating func claim(_ claimer: Holder, expecting: Epoch?, ownerIsDead: Bool, now: Instant) -> Epoch? {
    if holder == claimer { return epoch }
    guard holder == nil || (ownerIsDead && epoch == expecting) else { return nil }
    let next = Epoch(number: (epoch?.number).map { $0 + 1 } ?? UInt64(max(now.seconds, 1)))
    (epoch, holder) = (next, claimer)
    return next
  }

  mutating func release(_ fence: Fence) -> StoreReply {
    guard fence == self.fence else { return .fenced }
    holder = nil
    return .done
  }
}
