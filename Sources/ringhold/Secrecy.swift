import Glibc

/// Credentials and private keys live in this process's memory: it must not end up in a file.
enum Secrecy {
  /// No core file, whatever the limits of the shell are, and no other process of this user that attaches to read.
  static func keepMemoryFromDumps() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
  }
}
