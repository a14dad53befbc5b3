import Glibc
import Primitives

extension Log {
  /// A log to standard error with the time of the wall clock.
  public static func standardError(level: Level = .info, format: Format = .text) -> Log {
    Log(level: level, format: format, now: WallClock.now, sink: standardErrorSink)
  }

  /// A pipe that polls as writable takes 4096 bytes (PIPE_BUF) without blocking. The descriptor is not set to non-blocking:
  /// it is shared with whoever started us.
  @Sendable private static func standardErrorSink(_ bytes: Slice) -> Int {
    var taken = 0
    while taken < bytes.count, isWritable(STDERR_FILENO) {
      let part = bytes.dropFirst(taken).prefix(4096)
      let count = unsafe part.withUnsafeBufferPointer { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      // A reader that is gone never comes back: what it would have read is not kept for it.
      guard count > 0 else { return errno == EINTR || errno == EAGAIN ? taken : bytes.count }
      taken += count
    }
    return taken
  }

  private static func isWritable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&entry, 1, 0) == 1
  }
}
