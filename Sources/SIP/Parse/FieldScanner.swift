import Primitives

/// Finds the header field lines between a start and the empty line (RFC 3261 §7.3.1, RFC 2045 §2): names, values, folding. Reads no value.
/// Goes on after a fault as far as it can, so that a malformed request can still be answered.
struct FieldScanner {
  private(set) var fields: [Message.Field] = []
  /// Where the body starts; the end where no empty line came.
  private(set) var bodyStart: Int
  /// The first thing that was wrong.
  private(set) var fault: SIPError?
  private let most: Int

  init(_ raw: borrowing Bytes, from start: Int, to end: Int, most: Int = MessageParser.mostFields) {
    bodyStart = end
    self.most = most
    fields.reserveCapacity(24)
    var position = start
    while let line = Line(raw, from: position, to: end) {
      if !line.isClean { note(.framing) }
      position = line.next
      if line.content.isEmpty {
        bodyStart = line.next
        return
      }
      if raw[line.content.lowerBound].isSpace { continueLast(raw, line.content) } else { addField(raw, line.content) }
    }
    note(.framing)
  }

  private mutating func note(_ fault: SIPError.Fault) {
    if self.fault == nil { self.fault = .bad(fault) }
  }

  /// `name [white space] ":" [white space] value`.
  private mutating func addField(_ raw: borrowing Bytes, _ line: Range<Int>) {
    var nameEnd = line.lowerBound
    while nameEnd < line.upperBound, raw[nameEnd].isToken { nameEnd += 1 }
    var colon = nameEnd
    while colon < line.upperBound, raw[colon].isSpace { colon += 1 }
    guard nameEnd > line.lowerBound, colon < line.upperBound, raw[colon] == UInt8(ascii: ":") else { return note(.fieldName) }
    guard fields.count < most else { return note(.tooManyFields) }
    let name = HeaderName(raw[line.lowerBound..<nameEnd])
    fields.append(.init(name: name, nameRange: line.lowerBound..<nameEnd, valueRange: Self.trimmed(raw, colon + 1..<line.upperBound)))
  }

  /// A line that starts with white space goes on with the field before it.
  private mutating func continueLast(_ raw: borrowing Bytes, _ line: Range<Int>) {
    guard let last = fields.indices.last else { return note(.framing) }
    let more = Self.trimmed(raw, line)
    guard !more.isEmpty else { return }
    let value = fields[last].valueRange
    fields[last].valueRange = (value.isEmpty ? more.lowerBound : value.lowerBound)..<more.upperBound
  }

  private static func trimmed(_ raw: borrowing Bytes, _ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, raw[start].isSpace { start += 1 }
    while start < end, raw[end - 1].isSpace { end -= 1 }
    return start..<end
  }
}

/// One line of a head.
struct Line {
  /// Without its line end.
  let content: Range<Int>
  let next: Int
  /// Whether it ends with CRLF and holds neither CR nor LF before: anything else would be read otherwise by another element.
  let isClean: Bool

  /// nil where no line ends before `end`.
  init?(_ raw: borrowing Bytes, from start: Int, to end: Int) {
    var index = start
    var returns = 0
    while index < end, raw[index] != 10 {
      if raw[index] == 13 { returns += 1 }
      index += 1
    }
    guard index < end else { return nil }
    let endsWithReturn = index > start && raw[index - 1] == 13
    content = start..<(endsWithReturn ? index - 1 : index)
    next = index + 1
    isClean = endsWithReturn && returns == 1
  }
}
