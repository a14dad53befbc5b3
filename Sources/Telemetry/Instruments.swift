import Synchronization

/// A number that only grows. Safe on every thread; never waits.
public final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  public func increment(by amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

  /// For a count that is kept elsewhere; a smaller number than before changes nothing.
  public func reach(_ total: Int) { _ = count.max(total, ordering: .relaxed) }

  public var value: Int { count.load(ordering: .relaxed) }
}

/// A number that goes up and down. Safe on every thread; never waits.
public final class Gauge: Sendable {
  private let current = Atomic<Int>(0)

  public init() {}

  public func set(_ value: Int) { current.store(value, ordering: .relaxed) }
  public func increment(by amount: Int = 1) { current.wrappingAdd(amount, ordering: .relaxed) }
  public func decrement(by amount: Int = 1) { current.wrappingSubtract(amount, ordering: .relaxed) }

  public var value: Int { current.load(ordering: .relaxed) }
}
