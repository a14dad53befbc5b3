import Foundation
import Primitives
import Testing

/// Records as an earlier version wrote them. Today's reader reads them, and what it read is written as the same bytes. They are kept
/// for ever; a new one is made, of a value with all its fields, with RINGHOLD_WRITE_RECORDS=1 in the environment: only files that are
/// missing are written.
struct Golden {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Data/records")
  private static let isWriting = ProcessInfo.processInfo.environment["RINGHOLD_WRITE_RECORDS"] == "1"

  let bytes: Bytes

  init(_ name: String, example: @autoclosure () throws -> Bytes) throws {
    let file = Self.folder.appendingPathComponent(name + ".hex")
    if Self.isWriting, !FileManager.default.fileExists(atPath: file.path) {
      try Self.lines(of: Hex.encode(example())).write(to: file, atomically: true, encoding: .utf8)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    bytes = try #require(Hex.decode(text.filter { !$0.isWhitespace }))
  }

  private static func lines(of hex: String) -> String {
    stride(from: 0, to: hex.count, by: 120).map { String(hex.dropFirst($0).prefix(120)) + "\n" }.joined()
  }
}

/// Bytes that somebody spoilt.
struct Spoiler {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func spoil(_ bytes: Bytes) -> Bytes {
    var spoilt = bytes
    for _ in 0..<Int.random(in: 1...3, using: &random) where !spoilt.isEmpty {
      let place = Int.random(in: 0..<spoilt.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: spoilt[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: spoilt[place] = UInt8.random(in: .min ... .max, using: &random)
      case 2: spoilt.removeSubrange(place..<min(place + Int.random(in: 1...8, using: &random), spoilt.count))
      case 3: spoilt.insert(0xFF, at: place)
      default: spoilt.removeLast(Int.random(in: 1...spoilt.count, using: &random))
      }
    }
    return spoilt
  }
}
