import Primitives

/// A run as text: when, who, what. Written only where somebody wants to read it.
final class Story {
  let isWriting: Bool
  private(set) var lines: [String] = []
  private let start: Instant

  init(isWriting: Bool, start: Instant) {
    self.isWriting = isWriting
    self.start = start
  }

  func tell(_ now: Instant, _ who: Party, _ what: @autoclosure () -> String) {
    guard isWriting else { return }
    lines.append("\(Self.time(now - start)) \(who.name.padded(to: 10)) \(what())")
  }

  func tell(_ now: Instant, _ what: @autoclosure () -> String) {
    guard isWriting else { return }
    lines.append("\(Self.time(now - start)) \(what())")
  }

  private static func time(_ duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    return "\(milliseconds / 1000).\(fraction)".padded(from: 8)
  }
}

extension String {
  fileprivate func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
  fileprivate func padded(from length: Int) -> String { String(repeating: " ", count: max(0, length - count)) + self }
}

/// Tells two runs apart: everything that happened, in its order (FNV-1a).
struct StoryHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func mix(_ number: UInt64) { value = (value ^ number) &* 0x100_0000_01B3 }

  mutating func mix(_ bytes: Bytes) {
    for byte in bytes { mix(UInt64(byte)) }
  }
}
