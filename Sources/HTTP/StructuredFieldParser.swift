import Primitives

extension StructuredField {
  /// §4.2: a whole field that is an item.
  public static func item(_ text: String) throws(Malformed) -> Item {
    var parser = Parser(text)
    let item = try parser.item()
    try parser.end()
    return item
  }

  /// §4.2.1. The lines of a field are to be joined by a comma first, as `HTTPFields` does.
  public static func list(_ text: String) throws(Malformed) -> [Member] {
    var parser = Parser(text)
    var members: [Member] = []
    while !parser.isAtEnd {
      members.append(try parser.member())
      try parser.separator()
    }
    return members
  }

  /// §4.2.2.
  public static func dictionary(_ text: String) throws(Malformed) -> Dictionary {
    var parser = Parser(text)
    var members = Dictionary()
    while !parser.isAtEnd {
      let key = try parser.key()
      if parser.take("=") {
        members.set(key, to: try parser.member())
      } else {
        members.set(key, to: .item(Item(.boolean(true), parameters: try parser.parameters())))
      }
      try parser.separator()
    }
    return members
  }
}

extension StructuredField {
  /// §4.2, the algorithms of the RFC one by one. Depth is bounded by the grammar, length by the caller's limits on fields.
  struct Parser {
    private var rest: Slice

    init(_ text: String) {
      rest = Array(text.utf8)[...]
      skipSpaces()
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard let byte = rest.first, Unicode.Scalar(byte) == character else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
      guard take(character) else { throw Malformed() }
    }

    private mutating func takeWhile(_ condition: (UInt8) -> Bool) -> Slice {
      let taken = rest.prefix(while: condition)
      rest = rest[taken.endIndex...]
      return taken
    }

    private mutating func skipSpaces() { _ = takeWhile { $0 == 32 } }

    mutating func end() throws(Malformed) {
      skipSpaces()
      guard isAtEnd else { throw Malformed() }
    }

    /// Between members: a comma with something after it, or the end.
    mutating func separator() throws(Malformed) {
      _ = takeWhile(\.isBlank)
      if isAtEnd { return }
      try expect(",")
      _ = takeWhile(\.isBlank)
      if isAtEnd { throw Malformed() }
    }

    mutating func member() throws(Malformed) -> Member {
      rest.first == UInt8(ascii: "(") ? .innerList(try innerList()) : .item(try item())
    }

    private mutating func innerList() throws(Malformed) -> InnerList {
      try expect("(")
      var items: [Item] = []
      while true {
        skipSpaces()
        if take(")") { return InnerList(items, parameters: try parameters()) }
        items.append(try item())
        guard rest.first == 32 || rest.first == UInt8(ascii: ")") else { throw Malformed() }
      }
    }

    mutating func item() throws(Malformed) -> Item {
      let value = try bareItem()
      return Item(value, parameters: try parameters())
    }

    mutating func parameters() throws(Malformed) -> Parameters {
      var parameters = Parameters()
      while take(";") {
        skipSpaces()
        let key = try key()
        parameters.set(key, to: take("=") ? try bareItem() : .boolean(true))
      }
      return parameters
    }

    mutating func key() throws(Malformed) -> String {
      guard let first = rest.first, first.isLowercaseLetter || first == UInt8(ascii: "*") else { throw Malformed() }
      return takeWhile { $0.isLowercaseLetter || $0.isDigit || [42, 45, 46, 95].contains($0) }.text
    }

    private mutating func bareItem() throws(Malformed) -> BareItem {
      guard let first = rest.first else { throw Malformed() }
      switch Unicode.Scalar(first) {
      case "-", "0"..."9": return try number()
      case "\"": return .string(try quoted())
      case "*", "a"..."z", "A"..."Z": return .token(takeWhile { $0.isTokenCharacter || $0 == 58 || $0 == 47 }.text)
      case ":": return .bytes(try byteSequence())
      case "?": return .boolean(try boolean())
      case "@": return .date(try date())
      case "%": return .displayString(try displayString())
      default: throw Malformed()
      }
    }
  }
}

extension StructuredField.Parser {
  /// §4.2.4: an integer of up to 15 digits, or a decimal of up to 12 and 3.
  private mutating func number() throws(StructuredField.Malformed) -> StructuredField.BareItem {
    let sign: Int64 = take("-") ? -1 : 1
    let whole = takeWhile(\.isDigit)
    guard let integer = whole.decimal(as: Int64.self), whole.count <= 15 else { throw StructuredField.Malformed() }
    guard take(".") else { return .integer(sign * integer) }
    let fraction = takeWhile(\.isDigit)
    guard whole.count <= 12, (1...3).contains(fraction.count), let part = fraction.decimal(as: Int64.self) else {
      throw StructuredField.Malformed()
    }
    let scale: Int64 = fraction.count == 1 ? 100 : fraction.count == 2 ? 10 : 1
    return .decimal(thousandths: sign * (integer * 1000 + part * scale))
  }

  /// §4.2.5.
  private mutating func quoted() throws(StructuredField.Malformed) -> String {
    try expect("\"")
    var text = Bytes()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return text.text
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
          throw StructuredField.Malformed()
        }
        text.append(escaped)
      case 32...126: text.append(byte)
      default: throw StructuredField.Malformed()
      }
    }
    throw StructuredField.Malformed()
  }

  /// §4.2.7.
  private mutating func byteSequence() throws(StructuredField.Malformed) -> Bytes {
    try expect(":")
    let digits = takeWhile { $0 != UInt8(ascii: ":") }
    try expect(":")
    guard let bytes = Base64.standard.decode(digits) else { throw StructuredField.Malformed() }
    return bytes
  }

  /// §4.2.8.
  private mutating func boolean() throws(StructuredField.Malformed) -> Bool {
    try expect("?")
    if take("1") { return true }
    try expect("0")
    return false
  }

  /// §4.2.9.
  private mutating func date() throws(StructuredField.Malformed) -> Int64 {
    try expect("@")
    guard case .integer(let seconds) = try number() else { throw StructuredField.Malformed() }
    return seconds
  }

  /// §4.2.10: percent-encoded UTF-8, lower-case hexadecimal.
  private mutating func displayString() throws(StructuredField.Malformed) -> String {
    try expect("%")
    try expect("\"")
    var text = Bytes()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        guard let valid = String(validating: text, as: UTF8.self) else { throw StructuredField.Malformed() }
        return valid
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        guard digits.allSatisfy({ $0.isDigit || (97...102).contains($0) }), digits.count == 2, let decoded = Hex.decode(digits) else {
          throw StructuredField.Malformed()
        }
        rest = rest.dropFirst(2)
        text += decoded
      case 32...126: text.append(byte)
      default: throw StructuredField.Malformed()
      }
    }
    throw StructuredField.Malformed()
  }
}
