import Primitives

/// What has arrived and was not read yet. A line ends with CRLF and nothing else: a lone LF or CR is how one message is made to look
/// like two (RFC 9112 §2.2, §11.2).
struct LineBuffer {
  private var bytes: Bytes = []
  private var start = 0
  private var scanned = 0

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: Slice) {
    if start > 0 {
      bytes.removeSubrange(..<start)
      scanned -= start
      start = 0
    }
    bytes += more
  }

  /// The next line without its end, nil where it is not complete; `tooLong` where it is, or will be, longer than `limit`.
  mutating func line(limit: Int, tooLong: HTTPError) throws(HTTPError) -> Slice? {
    guard let lineFeed = bytes[scanned...].firstIndex(of: 10) else {
      scanned = bytes.count
      if count > limit + 1 { throw tooLong }
      try checkForLoneReturn(bytes[start...].dropLast())
      return nil
    }
    guard lineFeed > start, bytes[lineFeed - 1] == 13 else { throw .malformed(.line) }
    let line = bytes[start..<(lineFeed - 1)]
    if line.count > limit { throw tooLong }
    try checkForLoneReturn(line)
    start = lineFeed + 1
    scanned = start
    return line
  }

  /// Up to `count` bytes.
  mutating func take(upTo count: Int) -> Slice {
    let taken = bytes[start...].prefix(count)
    start += taken.count
    scanned = max(scanned, start)
    return taken
  }

  mutating func removeAll() { self = LineBuffer() }

  private func checkForLoneReturn(_ line: Slice) throws(HTTPError) {
    if line.contains(13) || line.contains(0) { throw .malformed(.line) }
  }
}
