import Glibc
public import Primitives
import Synchronization

/// A file without a disk, for what the configuration wants as a path: it is gone when this object is, or the process.
public final class MemoryFile: Sendable {
  private let descriptor: Int32

  /// nil where the system has no room for it.
  public init?(_ contents: Bytes) {
    let name = "/ringhold-\(getpid())-\(Self.made.add(1, ordering: .relaxed).newValue)"
    descriptor = unsafe shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    unsafe shm_unlink(name)
    let written = unsafe contents.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard written == contents.count else { return nil }
  }

  private static let made = Atomic<Int>(0)

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Only this process finds the file there.
  public var path: String { "/proc/self/fd/\(descriptor)" }
}
