import Foundation

/// What a process and its children have used, from `/proc` (proc(5)).
struct ProcessMeter {
  let processIDs: [Int32]

  init(_ root: Int32) { processIDs = Self.tree(root) }

  /// User and system time.
  var cpu: Duration {
    let ticks = processIDs.reduce(0) { $0 + Self.ticks($1) }
    return .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }

  /// Bytes of memory that are resident.
  var resident: Int { processIDs.reduce(0) { $0 + Self.resident($1) } }

  private static func tree(_ root: Int32) -> [Int32] {
    let children = text("/proc/\(root)/task/\(root)/children").split(separator: " ").compactMap { Int32($0) }
    return [root] + children.flatMap(tree)
  }

  private static func ticks(_ process: Int32) -> Int {
    // The name before the last parenthesis may hold anything.
    let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
  }

  private static func resident(_ process: Int32) -> Int {
    let line = text("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
