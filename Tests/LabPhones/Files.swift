import FoundationEssentials
import Primitives

/// Whole files.
enum Files {
  static func read(_ path: String) throws -> Bytes { Bytes(try Data(contentsOf: URL(filePath: path))) }

  /// It is there whole or not at all.
  static func write(_ bytes: Bytes, _ path: String) throws { try Data(bytes).write(to: URL(filePath: path), options: .atomic) }
}
