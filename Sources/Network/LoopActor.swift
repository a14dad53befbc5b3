internal import Glibc

/// Everything that touches the event loop is isolated to this actor. Its executor is the loop's one thread, so what is isolated
/// here needs no lock, and a callback of the loop enters without a hop by `assumeIsolated`.
@globalActor
public actor LoopActor {
  public static let shared = LoopActor()

  nonisolated let executor = LoopExecutor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Runs `body` in the isolation of the loop. Ends the process when the caller is not on the loop's thread.
  public nonisolated static func assumeIsolated<Value: Sendable, Failure: Error>(
    _ body: @LoopActor () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    typealias Plain = () throws(Failure) -> Value
    shared.executor.checkIsolated()
    // The check above is what the type system cannot see; the isolation is no part of a function's representation.
    return try withoutActuallyEscaping(body) { escapable throws(Failure) in
      try unsafe unsafeBitCast(escapable, to: Plain.self)()
    }
  }
}
