import Primitives

extension UInt8 {
  /// RFC 3261 §25.1 `token`.
  var isToken: Bool {
    if isAlphanumeric { return true }
    switch self {
    case 0x2D, 0x2E, 0x21, 0x25, 0x2A, 0x5F, 0x2B, 0x60, 0x27, 0x7E: return true  // - . ! % * _ + ` ' ~
    default: return false
    }
  }

  var isAlphanumeric: Bool { self &- 48 < 10 || lowercased &- 97 < 26 }
  var isDigit: Bool { self &- 48 < 10 }
  /// White space within one line.
  var isSpace: Bool { self == 32 || self == 9 }
  /// What no URI may hold unescaped: controls, space, quotes, angle brackets. Bytes above ASCII pass, the field sends them.
  var isForbiddenInURI: Bool { self <= 32 || self == 0x7F || self == 0x22 || self == 0x3C || self == 0x3E }
}

extension Slice {
  /// Without white space at both ends.
  var trimmed: Slice {
    var start = startIndex
    var end = endIndex
    while start < end, self[start].isSpace { start += 1 }
    while start < end, self[end - 1].isSpace { end -= 1 }
    return self[start..<end]
  }

  /// RFC 3261 §25.1: at least one token character and nothing else.
  var isToken: Bool { !isEmpty && allSatisfy(\.isToken) }

  /// `%41` becomes `A`; a percent sign before anything but two hexadecimal digits stays.
  var unescaped: Bytes {
    guard contains(UInt8(ascii: "%")) else { return Array(self) }
    var out = Bytes()
    out.reserveCapacity(count)
    var index = startIndex
    while index < endIndex {
      if let byte = escape(at: index) {
        out.append(byte)
        index += 3
      } else {
        out.append(self[index])
        index += 1
      }
    }
    return out
  }

  /// The byte that the escape at `index` stands for.
  func escape(at index: Int) -> UInt8? {
    guard self[index] == UInt8(ascii: "%"), index + 2 < endIndex, let high = Hex.value(of: self[index + 1]),
      let low = Hex.value(of: self[index + 2])
    else { return nil }
    return UInt8(high) << 4 | UInt8(low)
  }

  /// The text of a quoted string's inside: each quoted pair becomes its second byte (RFC 3261 §25.1).
  var withoutQuotedPairs: Bytes {
    guard contains(UInt8(ascii: "\\")) else { return Array(self) }
    var out = Bytes()
    var isEscaped = false
    for byte in self {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        out.append(byte)
        isEscaped = false
      }
    }
    return out
  }
}
