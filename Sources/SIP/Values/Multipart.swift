import Primitives

/// The parts of a multipart body (RFC 2046 §5.1). Their content may be binary.
enum Multipart {
  struct Part {
    /// nil for none or an unreadable one.
    let type: MediaType?
    let handling: Handling
    /// Without the line end that belongs to the delimiter.
    let content: Slice
  }

  /// Parts of one body.
  private static let most = 32

  /// What stands before the first delimiter and behind the last is no part. A missing last delimiter is forgiven.
  static func parts(of body: Slice, boundary: Bytes) -> [Part] {
    var parts: [Part] = []
    var delimiter = nextDelimiter(in: body, boundary, from: body.startIndex)
    while let open = delimiter, !open.isLast, parts.count < most {
      delimiter = nextDelimiter(in: body, boundary, from: open.end)
      parts.append(part(body[open.end..<max(open.end, delimiter?.start ?? body.endIndex)]))
    }
    return parts
  }

  private struct Delimiter {
    /// Where the line end before it starts.
    let start: Int
    /// Behind its own line end.
    let end: Int
    let isLast: Bool
  }

  /// A line of two hyphens, the boundary, two hyphens more for the last, and white space. `from` is at the start of a line.
  private static func nextDelimiter(in body: Slice, _ boundary: Bytes, from: Int) -> Delimiter? {
    var line = from
    while line < body.endIndex {
      let feed = body[line...].firstIndex(of: 10) ?? body.endIndex
      let next = min(feed + 1, body.endIndex)
      if let isLast = isDelimiter(body[line..<feed], boundary) {
        return Delimiter(start: contentEnd(body, from: from, line: line), end: next, isLast: isLast)
      }
      line = next
    }
    return nil
  }

  private static func contentEnd(_ body: Slice, from: Int, line: Int) -> Int {
    guard line > from else { return line }
    return line - 1 > from && body[line - 2] == 13 ? line - 2 : line - 1
  }

  /// Whether it is the last; nil for another line.
  private static func isDelimiter(_ line: Slice, _ boundary: Bytes) -> Bool? {
    guard line.starts(with: [45, 45]), line.dropFirst(2).starts(with: boundary) else { return nil }
    let rest = line.dropFirst(2 + boundary.count)
    let isLast = rest.starts(with: [45, 45])
    return rest.dropFirst(isLast ? 2 : 0).allSatisfy { $0.isSpace || $0 == 13 } ? isLast : nil
  }

  private static func part(_ bytes: Slice) -> Part {
    let raw = Array(bytes)
    let scan = FieldScanner(raw, from: 0, to: raw.count)
    let head = Message(raw: raw, fields: scan.fields, bodyStart: scan.bodyStart)
    return Part(type: head.contentType, handling: Handling(head.value(.contentDisposition)), content: head.body)
  }
}
