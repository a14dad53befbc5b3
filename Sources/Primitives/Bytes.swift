/// A buffer that is owned.
public typealias Bytes = [UInt8]

extension Bytes {
  /// Hashes all bytes at once; an array's own way takes them one by one.
  @inlinable
  public func hashAtOnce(into hasher: inout Hasher) {
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    hasher.combine(count)
  }
}

/// A view on a buffer: it shares the buffer, copying it costs no bytes.
public typealias Slice = ArraySlice<UInt8>

extension Collection<UInt8> {
  /// The bytes as text; what is no UTF-8 becomes U+FFFD.
  @inlinable
  public var text: String { String(decoding: self, as: UTF8.self) }

  /// Whether the bytes are those of `literal`, ASCII letters compared without case.
  @inlinable
  public func equalsIgnoringCase(_ literal: StaticString) -> Bool {
    literal.withUTF8Buffer { unsafe equalsIgnoringCase($0) }
  }

  /// Whether both hold the same bytes, ASCII letters compared without case.
  @inlinable
  public func equalsIgnoringCase(_ other: some Collection<UInt8>) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.lowercased == $1.lowercased }
  }

  /// Whether the bytes are exactly those of `literal`.
  @inlinable
  public func equals(_ literal: StaticString) -> Bool {
    literal.withUTF8Buffer { unsafe elementsEqual($0) }
  }
}

extension UInt8 {
  /// The ASCII letter in lower case; any other byte unchanged.
  @inlinable
  public var lowercased: UInt8 { self &- 65 < 26 ? self | 0x20 : self }
}

extension RangeReplaceableCollection<UInt8> {
  @inlinable
  public mutating func append(_ literal: StaticString) {
    literal.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  @inlinable
  public mutating func append(text: String) {
    append(contentsOf: text.utf8)
  }

  /// Appends the number in decimal digits.
  @inlinable
  public mutating func append(decimal number: some FixedWidthInteger) {
    append(contentsOf: String(number).utf8)
  }
}

extension Collection<UInt8> {
  /// The number that the bytes spell in decimal digits, nil where they do not or it does not fit.
  @inlinable
  public func decimal<Number: FixedWidthInteger>(as type: Number.Type = Int.self) -> Number? {
    guard !isEmpty else { return nil }
    var number: Number = 0
    for byte in self {
      guard byte &- 48 < 10 else { return nil }
      let (tenfold, over) = number.multipliedReportingOverflow(by: 10)
      let (sum, overAgain) = tenfold.addingReportingOverflow(Number(truncatingIfNeeded: byte &- 48))
      guard !over, !overAgain else { return nil }
      number = sum
    }
    return number
  }
}
