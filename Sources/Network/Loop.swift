internal import CLibUV
internal import Glibc
public import Primitives

/// The process's one event loop.
@LoopActor
public enum Loop {
  /// Now, as `Instant` counts: the wall clock of the start, carried on by the monotonic clock.
  public static func now() -> Instant { Instant(nanoseconds: offset &+ Int64(bitPattern: uv_hrtime())) }

  /// The wall clock, read now: it may jump. For times that others compare with their own clock.
  public static func unixNow() -> Instant { wallClock() }

  /// `body` runs once, not before `deadline` (in whole milliseconds of delay), unless the timer is cancelled. Timers of one deadline
  /// run in the order in which they were made.
  @discardableResult
  public static func at(_ deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    timers.start(deadline, body)
  }

  @discardableResult
  public static func after(_ delay: Duration, _ body: @escaping @LoopActor () -> Void) -> LoopTimer { at(now() + delay, body) }

  /// `body` runs after the callback that is running now, before the loop waits again.
  public static func soon(_ body: @escaping @LoopActor () -> Void) { LoopActor.shared.executor.soon(body) }

  /// `body` runs each time the process gets the signal, for the rest of the process's life.
  public static func onSignal(_ number: Int32, _ body: @escaping @LoopActor () -> Void) throws(NetworkError) {
    signals.append(try SignalHandler(number, body))
  }

  private static let offset = wallClock().nanoseconds &- Int64(bitPattern: uv_hrtime())
  private static let timers = LoopTimers()
  private static var signals: [SignalHandler] = []

  private nonisolated static func wallClock() -> Instant {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
