public import Primitives
import Store

/// Whether new slots are claimed. While the store is away nobody knows which are taken, and when it comes back without something that it
/// had, whoever had a slot says so first.
enum Settling: Sendable, Equatable {
  case settled
  case away
  case until(Instant)

  /// A home finds the store again within a second, and says once a second what the store could not take.
  static let time = Duration.seconds(2)
  static let look = Duration.milliseconds(500)
}

extension Switchboard {
  /// The store may not know yet whose the calls are.
  public var isSettling: Bool { settling != .settled }

  /// The way to the store is gone.
  public mutating func storeWent(now: Instant) {
    guard isRecording else { return }
    settling = .away
    deadlines.set(now + Settling.look, for: .settling)
  }

  mutating func storeIsBack(isWhole: Bool, now: Instant) -> [Action] {
    guard isRecording else { return [] }
    settling = .until(isWhole ? now : now + Settling.time)
    return settlingLooked(now: now)
  }

  /// Calls that have come meanwhile claim their slots, or have waited for too long.
  mutating func settlingLooked(now: Instant) -> [Action] {
    let waiting = calls.values.filter { $0.slot != nil && !isPassive && !inDoubt.contains($0.id) }.sorted { $0.id < $1.id }
    if case .until(let end) = settling, end <= now {
      settling = .settled
      deadlines.set(nil, for: .settling)
      return takeUp() + waiting.flatMap { claimSlot($0, isRepeated: false) }
    }
    deadlines.set(now + Settling.look, for: .settling)
    return waiting.filter { now - $0.began >= Self.longestClaim }.flatMap { withoutSlot($0) }
  }
}
