public import Network

/// So many at a time, and the others wait: tests that all start at once would only hold each other up.
@LoopActor
public final class Crowd {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  public init(_ places: Int) { free = places }

  public func with<Value>(_ body: @LoopActor () async throws -> Value) async rethrows -> Value {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { leave() }
    return try await body()
  }

  /// The place goes to the one that waits longest.
  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
