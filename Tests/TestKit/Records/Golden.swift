import Foundation
public import Primitives

/// Records as an earlier version wrote them. Today's reader reads them, and what it read is written as the same bytes. They are kept
/// for ever; a new one is made, of a value with all its fields, with RINGHOLD_WRITE_RECORDS=1 in the environment: only files that are
/// missing are written.
public struct Golden {
  private static let isWriting = ProcessInfo.processInfo.environment["RINGHOLD_WRITE_RECORDS"] == "1"

  public let bytes: Bytes

  /// - Parameter test: a file in a folder of a test module; the records are in `Data/records` of that module.
  public init(_ name: String, test: StaticString = #filePath, example: @autoclosure () throws -> Bytes) throws {
    let folder = URL(fileURLWithPath: "\(test)").deletingLastPathComponent().appendingPathComponent("../Data/records")
    let file = folder.appendingPathComponent(name + ".hex")
    if Self.isWriting, !FileManager.default.fileExists(atPath: file.path) {
      try Self.lines(of: Hex.encode(example())).write(to: file, atomically: true, encoding: .utf8)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    guard let bytes = Hex.decode(text.filter { !$0.isWhitespace }) else { throw NoHex(file: file.path) }
    self.bytes = bytes
  }

  private struct NoHex: Error { let file: String }

  private static func lines(of hex: String) -> String {
    stride(from: 0, to: hex.count, by: 120).map { String(hex.dropFirst($0).prefix(120)) + "\n" }.joined()
  }
}
