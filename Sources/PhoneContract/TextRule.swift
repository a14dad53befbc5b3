import Primitives

/// What a string of a body may be. Whatever passes can stand in a SIP or HTTP header line as it is: no control character ever does.
struct TextRule: Sendable {
  let length: ClosedRange<Int>
  /// Whether `%` begins an escape, and nothing else.
  var hasEscapes = false
  let allowsByte: @Sendable (UInt8) -> Bool

  /// Length in UTF-8 bytes.
  func allows(_ text: String) -> Bool {
    length.contains(text.utf8.count) && text.utf8.allSatisfy(allowsByte) && (!hasEscapes || Self.isEscapedWell(text))
  }

  /// Host name or address, with or without port.
  static let host = TextRule(length: 1...255) { isAlphanumeric($0) || "-._:[]".utf8.contains($0) }

  /// RFC 3261 §25.1 `user`: what needs an escape comes escaped.
  static let user = TextRule(length: 1...255, hasEscapes: true) { isAlphanumeric($0) || "-_.!~*'()&=+$,;?/%".utf8.contains($0) }

  /// A proxy as a host or a SIP URI, without what would end a name-addr.
  static let proxy = TextRule(length: 1...255) { isVisible($0) && !"\"<>\\,@".utf8.contains($0) }

  /// Anything printable in any script.
  static let printable = TextRule(length: 1...255) { $0 >= 0x20 && $0 != 0x7F }

  static let hex = TextRule(length: 2...400) { Hex.value(of: $0) != nil }

  /// Bundle identifier with suffix.
  static let topic = TextRule(length: 1...255) { isAlphanumeric($0) || "-._".utf8.contains($0) }

  static let digits = TextRule(length: 1...32) { "0123456789*#ABCD".utf8.contains($0) }

  /// RFC 7638 thumbprint: 32 bytes in base64url.
  static let deviceID = TextRule(length: 43...43, allowsByte: isTokenByte)

  /// What names a thing in a path.
  static let pathID = TextRule(length: 1...64, allowsByte: isTokenByte)

  /// A session description: only the body's own limit holds.
  static let sdp = TextRule(length: 1...Contract.bodyLimit) { $0 != 0 }

  static func visible(_ length: ClosedRange<Int>) -> TextRule { TextRule(length: length, allowsByte: isVisible) }

  /// RFC 3261 §25.1 `escaped`: two hexadecimal digits.
  private static func isEscapedWell(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
      part.count >= 2 && part.prefix(2).allSatisfy { Hex.value(of: $0) != nil }
    }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }
  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
  private static func isAlphanumeric(_ byte: UInt8) -> Bool { (byte.lowercased &- 97) < 26 || (byte &- 48) < 10 }
}
