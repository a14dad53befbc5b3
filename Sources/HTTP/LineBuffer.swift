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
      // The last byte may be the CR of the line's end.
      try checkForLoneReturn(upTo: bytes.count - 1)
      scanned = bytes.count
      if count > limit + 1 { throw tooLong }
      return nil
    }
    guard lineFeed > start, bytes[lineFeed - 1] == 13 else { throw .malformed(.line) }
    try checkForLoneReturn(upTo: lineFeed - 1)
    let line = bytes[start..<(lineFeed - 1)]
    if line.count > limit { throw tooLong }
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

  /// Looks at what was not looked at before: a line that comes byte by byte costs no more than one that comes at once.
  private func checkForLoneReturn(upTo end: Int) throws(HTTPError) {
    let first = max(start, scanned - 1)
    guard first < end else { return }
    let fresh = bytes[first..<end]
    if fresh.contains(13) || fresh.contains(0) { throw .malformed(.line) }
  }
}
