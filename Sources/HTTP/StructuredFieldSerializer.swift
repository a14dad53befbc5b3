import Primitives

/// RFC 9651 §4.1. What cannot be said (a string beyond ASCII) is the caller's mistake and written as a display string.
extension StructuredField.BareItem {
  public var text: String {
    switch self {
    case .integer(let number): return String(number)
    case .decimal(let thousandths): return Self.decimalText(thousandths)
    case .string(let text): return text.utf8.allSatisfy { (32...126).contains($0) } ? Self.quoted(text) : Self.displayText(text)
    case .token(let text): return text
    case .bytes(let bytes): return ":" + Base64.standard.encode(bytes) + ":"
    case .boolean(let isTrue): return isTrue ? "?1" : "?0"
    case .date(let seconds): return "@\(seconds)"
    case .displayString(let text): return Self.displayText(text)
    }
  }

  private static func decimalText(_ thousandths: Int64) -> String {
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    var digits = String(fraction + 1000).dropFirst()
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return (thousandths < 0 ? "-" : "") + "\(whole).\(digits)"
  }

  private static func quoted(_ text: String) -> String {
    var out: Bytes = [34]
    for byte in text.utf8 {
      if byte == 34 || byte == 92 { out.append(92) }
      out.append(byte)
    }
    return (out + [34]).text
  }

  private static func displayText(_ text: String) -> String {
    var out: Bytes = [37, 34]
    for byte in text.utf8 {
      if byte == 37 || byte == 34 || !(32...126).contains(byte) { out.append(text: "%" + Hex.encode([byte])) } else { out.append(byte) }
    }
    return (out + [34]).text
  }
}

extension StructuredField.Members where Value == StructuredField.BareItem {
  /// `;name=value` for each; a true one is its name alone.
  public var text: String {
    all.map { $0.value == .boolean(true) ? ";" + $0.key : ";\($0.key)=\($0.value.text)" }.joined()
  }
}

extension StructuredField.Members where Value == StructuredField.Member {
  public var text: String {
    all.map { key, member in
      if case .item(let item) = member, item.value == .boolean(true) { return key + item.parameters.text }
      return key + "=" + member.text
    }.joined(separator: ", ")
  }
}

extension StructuredField.Item {
  public var text: String { value.text + parameters.text }
}

extension StructuredField.InnerList {
  public var text: String { "(" + items.map(\.text).joined(separator: " ") + ")" + parameters.text }
}

extension StructuredField.Member {
  public var text: String {
    switch self {
    case .item(let item): item.text
    case .innerList(let list): list.text
    }
  }
}
