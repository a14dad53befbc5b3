import Primitives

/// A place in one unfolded header value, moving forward.
struct Cursor {
  let bytes: Slice
  private(set) var position: Int

  init(_ bytes: Slice) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }
  var next: UInt8? { isAtEnd ? nil : bytes[position] }
  var rest: Slice { bytes[position...] }

  mutating func skipSpace() { while let byte = next, byte.isSpace { position += 1 } }

  /// Passes `byte` with the white space around it (RFC 3261 §25.1: SEMI, EQUAL, SLASH, …); false where something else stands.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    let start = position
    skipSpace()
    guard let next, next == UInt8(ascii: byte) else {
      position = start
      return false
    }
    position += 1
    skipSpace()
    return true
  }

  /// The longest run of bytes that hold; may be empty.
  mutating func run(_ holds: (UInt8) -> Bool) -> Slice {
    let start = position
    while let byte = next, holds(byte) { position += 1 }
    return bytes[start..<position]
  }

  mutating func token() -> Slice { run(\.isToken) }

  /// What stands between the quotes, quoted pairs untouched; nil where no quoted string stands or it does not end.
  mutating func quoted() -> Slice? {
    guard next == UInt8(ascii: "\"") else { return nil }
    var index = position + 1
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\"") {
        let inside = bytes[(position + 1)..<index]
        position = index + 1
        return inside
      }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}

extension Slice {
  /// The values of a comma separated list (RFC 3261 §7.3.1), trimmed: commas in quotes and in angle brackets separate nothing. An
  /// unended quote or bracket runs to the end, for the reader of the value to refuse.
  var listValues: [Slice] {
    var values: [Slice] = []
    var start = startIndex
    var index = startIndex
    var isQuoted = false
    var isBracketed = false
    while index < endIndex {
      switch self[index] {
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: "\"") where !isBracketed: isQuoted.toggle()
      case UInt8(ascii: "<") where !isQuoted: isBracketed = true
      case UInt8(ascii: ">") where !isQuoted: isBracketed = false
      case UInt8(ascii: ",") where !isQuoted && !isBracketed:
        values.append(self[start..<index].trimmed)
        start = index + 1
      default: break
      }
      index += 1
    }
    values.append(self[start...].trimmed)
    return values
  }
}
