import Primitives

/// What the process takes from its machine.
public struct ProcessUse: Sendable, Equatable {
  public var residentBytes: Int
  public var cpu: Duration
  public var openFiles: Int
  /// Since the Unix epoch.
  public var startedAt: Duration

  public init(residentBytes: Int, cpu: Duration, openFiles: Int, startedAt: Duration) {
    self.residentBytes = residentBytes
    self.cpu = cpu
    self.openFiles = openFiles
    self.startedAt = startedAt
  }
}

/// The units in which the kernel counts.
struct KernelUnits {
  var pageBytes: Int
  var ticksPerSecond: Int
}

extension ProcessUse {
  /// From the text of `/proc/self/stat` and the `btime` line of `/proc/stat` (proc(5)); nil where they do not look so.
  init?(stat: Bytes, machine: Bytes, openFiles: Int, units: KernelUnits) {
    // The second field is the program's name in parentheses and may hold anything: the others are counted after its end.
    guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "))
    let numbers = [11, 12, 19, 21].map { index -> Int? in index < fields.count ? fields[index].decimal() : nil }
    guard let user = numbers[0], let system = numbers[1], let start = numbers[2], let pages = numbers[3],
      let boot = Self.bootSeconds(machine)
    else { return nil }
    self.init(
      residentBytes: pages * units.pageBytes, cpu: units.duration(ticks: user + system), openFiles: openFiles,
      startedAt: .seconds(boot) + units.duration(ticks: start))
  }

  private static func bootSeconds(_ machine: Bytes) -> Int? {
    let key = Array("btime ".utf8)
    return machine.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: key) }?.dropFirst(key.count).decimal()
  }
}

extension KernelUnits {
  func duration(ticks: Int) -> Duration { .nanoseconds(Int64(ticks) * (1_000_000_000 / Int64(max(ticksPerSecond, 1)))) }
}

extension Metrics {
  /// Adds the metrics that every Prometheus client names the same, read by `read` when the page is asked for. Where it
  /// has nothing to say, they show nothing.
  public func process(_ read: @escaping @Sendable () -> ProcessUse?) {
    add("process_resident_memory_bytes", "Resident memory size in bytes.", .gauge) { page in
      if let use = read() { page.sample(value: use.residentBytes) }
    }
    add("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", .counter) { page in
      if let use = read() { page.sample(seconds: use.cpu) }
    }
    add("process_open_fds", "Number of open file descriptors.", .gauge) { page in
      if let use = read() { page.sample(value: use.openFiles) }
    }
    add("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", .gauge) { page in
      if let use = read() { page.sample(seconds: use.startedAt) }
    }
  }
}
