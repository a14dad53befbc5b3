public import Primitives

/// What the bytes turned out to be.
public enum ParsedMessage: Sendable, Hashable {
  case request(Request)
  case response(Response)
}

/// Reads one whole message (RFC 3261 §7, §18.3): start line and framing strictly, values not at all; `validated()` reads those.
public enum MessageParser {
  /// Bytes of a message.
  public static let largestMessage = 65_536
  /// Header fields of a message.
  public static let mostFields = 200

  /// One datagram: the body is as long as Content-Length says and what follows is ignored; without the field it reaches to the end.
  ///
  /// Throws 400 for what is malformed (a Content-Length beyond the end among it), 505 for another version, 513 for too many bytes.
  public static func parse(_ datagram: consuming Bytes) throws(SIPError) -> ParsedMessage {
    guard datagram.count <= largestMessage else { throw SIPError(status: 513, fault: .tooLarge) }
    var raw = datagram
    let lineEnds = raw.prefix { $0 == 13 || $0 == 10 }.count
    if lineEnds > 0 { raw.removeFirst(lineEnds) }
    let head = Head(raw, limit: raw.count)
    let available = raw.count - head.bodyStart
    var fault = head.fault
    if let length = head.bodyLength {
      if length <= available { raw.removeLast(available - length) } else if fault == nil { fault = .bad(.contentLength) }
    }
    return try head.message(raw, fault)
  }
}
