/// RFC 4648 §8, written in lower case, read in both.
public enum Hex {
  public static func encode(_ bytes: some Collection<UInt8>) -> String { digits(of: Array(bytes)).text }

  /// The same as bytes.
  public static func digits(of bytes: Bytes) -> Bytes {
    var out = Bytes()
    out.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return out
  }

  /// nil for an odd count or another character.
  public static func decode(_ text: some Collection<UInt8>) -> Bytes? { decodeWhole(Array(text)) }

  private static func decodeWhole(_ text: Bytes) -> Bytes? {
    guard text.count % 2 == 0 else { return nil }
    var out = Bytes()
    out.reserveCapacity(text.count / 2)
    var high: UInt8?
    for digit in text {
      guard let value = value(of: digit) else { return nil }
      if let first = high {
        out.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return out
  }

  public static func decode(_ text: String) -> Bytes? { decodeWhole(Array(text.utf8)) }

  /// The value of one hexadecimal digit.
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 65...70: digit - 55
    case 97...102: digit - 87
    default: nil
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
