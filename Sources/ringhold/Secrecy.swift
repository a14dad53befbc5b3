import Glibc

/// Credentials and private keys live in this process's memory: it must not end up in a file.
enum Secrecy {
  static func keepMemoryFromDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    emptyTheCore()
  }

  /// A core that goes to a program's pipe is written whatever the limit is (core(5)): let it hold no memory then.
  private static func emptyTheCore() {
    let filter = unsafe open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
    guard filter >= 0 else { return }
    _ = unsafe write(filter, "0", 1)
    close(filter)
  }
}
