import Network
import Primitives

/// Values that come by callbacks, for a test that waits for one of them.
@LoopActor
final class Arrivals<Value: Sendable> {
  private(set) var all: [Value] = []
  private var isWanted: ((Value) -> Bool)?
  private var waiter: CheckedContinuation<Value?, Never>?

  func came(_ value: Value) {
    all.append(value)
    if isWanted?(value) == true { resume(value) }
  }

  /// The first one, also of those that came before; nil where none came in time.
  func first(within limit: Duration = .seconds(20), where isWanted: @escaping (Value) -> Bool = { _ in true }) async -> Value? {
    if let value = all.first(where: isWanted) { return value }
    let timer = Loop.after(limit) { [self] in resume(nil) }
    self.isWanted = isWanted
    let value = await withCheckedContinuation { waiter = $0 }
    timer.cancel()
    return value
  }

  private func resume(_ value: Value?) {
    isWanted = nil
    waiter?.resume(returning: value)
    waiter = nil
  }
}

extension Arrivals where Value: Equatable {
  func got(_ value: Value, within limit: Duration = .seconds(20)) async -> Bool { await first(within: limit) { $0 == value } != nil }
}
