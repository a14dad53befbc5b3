import Primitives
import Store

/// Calls that ended here. A store that forgets that they were removed, since another server became its primary, still has them as they
/// were before: nobody goes on with them, and their places are given back once more.
struct EndedCalls: Sendable, Equatable {
  /// Longer ago a replica was told of the end in any case.
  static let memory = Duration.seconds(60)
  /// Above that others are forgotten early.
  static let most = 20_000

  /// An end, and what the call had in common with its copies that come another way.
  private struct End: Sendable {
    let at: Instant
    /// nil: it never rang, and its copies may.
    let merge: MergeKey?
  }

  private var ends: [CallID: End] = [:]
  /// In the order in which they ended.
  private var order: [(call: CallID, account: AccountID)] = []

  func contains(_ call: CallID) -> Bool { ends[call] != nil }

  /// Its slot, and until when it is remembered that it was taken.
  func slot(of call: CallID) -> (merge: MergeKey, until: Instant)? {
    ends[call].flatMap { end in end.merge.map { ($0, end.at + Self.memory) } }
  }

  mutating func note(_ call: CallID, of account: AccountID, merge: MergeKey?, now: Instant) {
    forgetOld(now: now)
    guard ends.updateValue(End(at: now, merge: merge), forKey: call) == nil else { return }
    order.append((call, account))
  }

  mutating func recent(now: Instant) -> [(call: CallID, account: AccountID)] {
    forgetOld(now: now)
    return order
  }

  private mutating func forgetOld(now: Instant) {
    let old = order.prefix { ends[$0.call].map { $0.at + Self.memory <= now } ?? true }.count
    let gone = max(old, order.count - Self.most + 1)
    guard gone > 0 else { return }
    for entry in order.prefix(gone) { ends[entry.call] = nil }
    order.removeFirst(gone)
  }

  static func == (left: EndedCalls, right: EndedCalls) -> Bool { left.order.map(\.call) == right.order.map(\.call) }
}
