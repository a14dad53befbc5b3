import Primitives

/// JSON strings (RFC 8259 §7) of a bounded length.
enum JSONText {
  /// `text` in quotes, cut at a character so that it has at most `limit` bytes; `null` for none, and where nothing of it fits.
  static func quoted(_ text: String?, limit: Int) -> Bytes {
    guard let text else { return null }
    let escaped = cut(text, limit: limit - 2)
    guard !escaped.isEmpty || text.isEmpty else { return null }
    return [quote] + escaped + [quote]
  }

  /// A character that alone is over the limit (a letter under a pile of marks) is cut at a scalar.
  private static func cut(_ text: String, limit: Int) -> Bytes {
    var out = Bytes()
    for character in text {
      let next = character.unicodeScalars.flatMap(escaped)
      guard out.count + next.count <= limit else { break }
      out += next
    }
    guard out.isEmpty else { return out }
    for scalar in text.unicodeScalars {
      let next = escaped(scalar)
      guard out.count + next.count <= limit else { break }
      out += next
    }
    return out
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> Bytes {
    switch scalar {
    case "\"", "\\": [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
    case "\0"..<" ": Array("\\u00".utf8) + Array(Hex.encode([UInt8(truncatingIfNeeded: scalar.value)]).utf8)
    default: Array(String(scalar).utf8)
    }
  }

  private static let null = Array("null".utf8)
  private static let quote = UInt8(ascii: "\"")
}
