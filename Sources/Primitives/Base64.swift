/// RFC 4648 §4 and §5, strict: no white space, no bits left over, padding as the alphabet asks for it.
public enum Base64 {
  case standard
  case urlSafe

  /// Standard is padded, url-safe is not.
  public func encode(_ bytes: some Collection<UInt8>) -> String { encodeWhole(Array(bytes)).text }

  private func encodeWhole(_ bytes: Bytes) -> Bytes {
    let alphabet = self == .standard ? Self.standardAlphabet : Self.urlSafeAlphabet
    var out = Bytes()
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var accumulator: UInt32 = 0
    var bits = 0
    for byte in bytes {
      accumulator = accumulator << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        out.append(alphabet[Int(accumulator >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { out.append(alphabet[Int(accumulator << UInt32(6 - bits) & 63)]) }
    if self == .standard { while out.count % 4 != 0 { out.append(UInt8(ascii: "=")) } }
    return out
  }

  /// nil where the text is not exactly what `encode` could have written.
  public func decode(_ text: some Collection<UInt8>) -> Bytes? { decodeWhole(Array(text)) }

  private func decodeWhole(_ text: Bytes) -> Bytes? {
    var digits = text
    if self == .standard {
      guard digits.count % 4 == 0 else { return nil }
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    guard digits.count % 4 != 1 else { return nil }
    var out = Bytes()
    out.reserveCapacity(digits.count * 3 / 4)
    var accumulator: UInt32 = 0
    var bits = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      accumulator = accumulator << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
      }
    }
    return accumulator & (1 << UInt32(bits) - 1) == 0 ? out : nil
  }

  public func decode(_ text: String) -> Bytes? { decode(Array(text.utf8)) }

  /// The character of a number below 64.
  func character(of number: UInt8) -> UInt8 {
    (self == .standard ? Self.standardAlphabet : Self.urlSafeAlphabet)[Int(number)]
  }

  private func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 65...90: digit - 65
    case 97...122: digit - 71
    case 48...57: digit + 4
    case self == .standard ? 43 : 45: 62
    case self == .standard ? 47 : 95: 63
    default: nil
    }
  }

  private static let standardAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafeAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
