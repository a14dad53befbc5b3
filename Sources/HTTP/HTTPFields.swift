public import Primitives

/// The fields of a message, in their order, duplicates kept. Names are compared without case and kept in lower case, as HTTP/2 sends
/// them (RFC 9113 §8.2.1).
public struct HTTPFields: Sendable, Equatable, Sequence, ExpressibleByDictionaryLiteral, Discreet {
  public struct Field: Sendable, Equatable, Discreet {
    public let name: String
    public let value: String

    public var shown: String { name }
  }

  private var all: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  public var count: Int { all.count }

  public func makeIterator() -> IndexingIterator<[Field]> { all.makeIterator() }

  /// CR, LF and NUL become spaces (RFC 9110 §5.5), so that no value can start a field of its own.
  public mutating func append(_ name: String, _ value: String) {
    all.append(Field(name: name.asciiLowercased, value: value.withoutLineBreaks))
  }

  /// Puts one field in the place of all of that name.
  public mutating func set(_ name: String, to value: String) {
    remove(name)
    append(name, value)
  }

  public mutating func remove(_ name: String) {
    let name = name.asciiLowercased
    all.removeAll { $0.name == name }
  }

  /// The values of all fields of that name, one for each field line.
  public func values(_ name: String) -> [String] {
    let name = name.asciiLowercased
    return all.filter { $0.name == name }.map(\.value)
  }

  /// The combined value (RFC 9110 §5.3): all field lines of that name, joined by a comma. nil where there is none.
  public subscript(_ name: String) -> String? {
    let values = values(name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The members of a comma-separated list of tokens, in lower case, over all field lines.
  public func tokens(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }.map { Array($0.utf8).trimmedOfBlanks.text.asciiLowercased }.filter { !$0.isEmpty }
  }
}

extension String {
  var asciiLowercased: String {
    utf8.allSatisfy { $0 &- 65 >= 26 } ? self : Array(utf8.map(\.lowercased)).text
  }

  fileprivate var withoutLineBreaks: String {
    let isClean = utf8.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 }
    return isClean ? self : utf8.map { $0 == 13 || $0 == 10 || $0 == 0 ? 32 : $0 }.text
  }
}

extension BidirectionalCollection<UInt8> {
  /// Without the spaces and tabs at both ends: OWS of RFC 9110 §5.6.3.
  var trimmedOfBlanks: SubSequence {
    guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else { return self[endIndex...] }
    return self[first...last]
  }
}

extension UInt8 {
  var isBlank: Bool { self == 32 || self == 9 }

  var isDigit: Bool { self &- 48 < 10 }

  var isLowercaseLetter: Bool { self &- 97 < 26 }

  /// `tchar` of RFC 9110 §5.6.2.
  var isTokenCharacter: Bool {
    switch self {
    case 48...57, 65...90, 94...122, 124, 126, 33, 35...39, 42, 43, 45, 46: true
    default: false
    }
  }

  /// What a field value may hold: visible characters, blanks and the bytes of UTF-8 text (RFC 9110 §5.5).
  var isFieldCharacter: Bool { self >= 32 && self != 127 || self == 9 }

  /// Visible ASCII.
  var isVisible: Bool { self > 32 && self < 127 }
}
