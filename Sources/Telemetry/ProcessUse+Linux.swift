import Glibc
import Primitives

extension ProcessUse {
  /// Reads `/proc`; nil where it is not mounted.
  @Sendable public static func ofThisProcess() -> ProcessUse? {
    guard let stat = contents(of: "/proc/self/stat"), let machine = contents(of: "/proc/stat") else { return nil }
    let units = KernelUnits(pageBytes: sysconf(Int32(_SC_PAGESIZE)), ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
    return ProcessUse(stat: stat, machine: machine, openFiles: openFiles(), units: units)
  }

  /// Files of `/proc` say no size: read until nothing comes, 1 MiB at most.
  private static func contents(of path: String) -> Bytes? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var all = Bytes()
    while all.count < 1 << 20 {
      let part = unsafe Bytes(unsafeUninitializedCapacity: 4096) { buffer, count in
        count = max(unsafe read(file, buffer.baseAddress, buffer.count), 0)
      }
      if part.isEmpty { break }
      all += part
    }
    return all
  }

  /// Without the one that reading the folder takes.
  private static func openFiles() -> Int {
    guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
    defer { unsafe closedir(folder) }
    var entries = 0
    while unsafe readdir(folder) != nil { entries += 1 }
    return max(entries - 3, 0)
  }
}
