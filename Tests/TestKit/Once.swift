public import Network

/// A value that comes once, for tests that wait for a callback. Gives nil when it does not come in time.
@LoopActor
public final class Once<Value: Sendable> {
  private var value: Value?
  private var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
  private var waited = 0

  public init() {}

  /// The first one counts.
  public func came(_ value: Value) {
    guard self.value == nil else { return }
    self.value = value
    for number in waiters.keys.sorted() { resume(number, value) }
  }

  public func wait(_ limit: Duration = .seconds(10)) async -> Value? {
    if let value { return value }
    waited += 1
    let number = waited
    let timer = Loop.after(limit) { [self] in resume(number, nil) }
    let value = await withCheckedContinuation { waiters[number] = $0 }
    timer.cancel()
    return value
  }

  private func resume(_ number: Int, _ value: Value?) { waiters.removeValue(forKey: number)?.resume(returning: value) }
}
