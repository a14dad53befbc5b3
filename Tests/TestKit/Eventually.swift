import Network
import Primitives

/// Looks again and again at something that tells nobody when it changes: another program's state. The last look is the result.
@LoopActor
public func eventually<Value>(
  within limit: Duration = .seconds(10), every pause: Duration = .milliseconds(25), _ look: @LoopActor () async throws -> Value,
  until isWanted: (Value) -> Bool
) async rethrows -> Value {
  let end = Loop.now() + limit
  while true {
    let value = try await look()
    if isWanted(value) || Loop.now() >= end { return value }
    await turn(after: pause)
  }
}

/// A pause of the test, not of the loop.
@LoopActor
private func turn(after pause: Duration) async {
  await withCheckedContinuation { continuation in _ = Loop.after(pause) { continuation.resume() } }
}
