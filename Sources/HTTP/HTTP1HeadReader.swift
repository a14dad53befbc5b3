import Primitives

/// Reads a start line and field lines up to the empty line (RFC 9112 §2.1), strictly.
struct HTTP1HeadReader {
  private(set) var startLine: Slice?
  private(set) var fields = HTTPFields()
  private var fieldBytes = 0
  private var emptyLines = 0

  /// Whether anything of a message has arrived.
  var hasBegun: Bool { startLine != nil }

  /// true once the head is complete.
  mutating func read(from buffer: inout LineBuffer, limits: HTTPLimits) throws(HTTPError) -> Bool {
    while let line = try nextLine(of: &buffer, limits: limits) {
      if startLine == nil {
        try beginOrSkip(line)
      } else if line.isEmpty {
        return true
      } else {
        try add(line, limits: limits)
      }
    }
    return false
  }

  /// The section after the last chunk has the form of a head without its start line (RFC 9112 §7.1.2).
  static let trailers: HTTP1HeadReader = {
    var reader = HTTP1HeadReader()
    reader.startLine = []
    return reader
  }()

  private func nextLine(of buffer: inout LineBuffer, limits: HTTPLimits) throws(HTTPError) -> Slice? {
    if startLine == nil { return try buffer.line(limit: limits.startLine, tooLong: .targetTooLong) }
    return try buffer.line(limit: limits.fieldBytes - fieldBytes, tooLong: .fieldsTooLarge)
  }

  /// RFC 9112 §2.2: an empty line before a request line is skipped; more than two are no accident.
  private mutating func beginOrSkip(_ line: Slice) throws(HTTPError) {
    if !line.isEmpty {
      startLine = line
    } else {
      emptyLines += 1
      if emptyLines > 2 { throw .malformed(.startLine) }
    }
  }

  private mutating func add(_ line: Slice, limits: HTTPLimits) throws(HTTPError) {
    fieldBytes += line.count
    guard fields.count < limits.fieldCount else { throw .fieldsTooLarge }
    let (name, value) = try Self.field(line)
    fields.append(name, value)
  }

  /// RFC 9112 §5: no white space before the colon, and none before the name: that was obs-fold (§5.2).
  private static func field(_ line: Slice) throws(HTTPError) -> (name: String, value: String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { throw .malformed(.field) }
    let name = line[..<colon]
    let value = line[(colon + 1)...].trimmedOfBlanks
    guard name.allSatisfy(\.isTokenCharacter), value.allSatisfy(\.isFieldCharacter) else { throw .malformed(.field) }
    guard let text = String(validating: value, as: UTF8.self) else { throw .malformed(.field) }
    return (name.text, text)
  }
}
