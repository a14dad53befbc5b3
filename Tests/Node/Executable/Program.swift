import Foundation

/// Runs programs to their end.
enum Program {
  struct Outcome {
    var status: Int32
    /// Standard output and standard error, as they came.
    var text: String
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  /// `ringhold` lies beside the tests.
  static let ringhold = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "ringhold").path

  static func run(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) throws -> Outcome {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(status: process.terminationStatus, text: String(decoding: said, as: UTF8.self))
  }
}

/// A folder for as long as a test needs it.
func withFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
  let url = FileManager.default.temporaryDirectory.appending(path: "ringhold-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: url) }
  return try body(url.path)
}
