import Glibc
public import Primitives

/// The time that people's clocks show. It may jump: deadlines are counted on another one.
public enum WallClock {
  @Sendable public static func now() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
