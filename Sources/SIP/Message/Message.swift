public import Primitives

/// One SIP message: its bytes, and where in them the parts lie. Parsed and built messages are the same value.
///
/// A message is well formed (RFC 3261 §25.1) in its start line and in the framing of its header fields; the values of the fields
/// are read when asked for.
public struct Message: Sendable, Hashable {
  /// All bytes, from the start line to the end of the body. They start at index 0.
  public let raw: Bytes
  let fields: [Field]
  let bodyStart: Int

  /// One header field line, unfolded or not: where its name's and its value's bytes are, without the white space around them.
  struct Field: Sendable, Hashable {
    var name: HeaderName
    var nameRange: Range<Int>
    var valueRange: Range<Int>
  }

  init(raw: Bytes, fields: [Field], bodyStart: Int) {
    self.raw = raw
    self.fields = fields
    self.bodyStart = bodyStart
  }

  public static func == (left: Message, right: Message) -> Bool { left.raw == right.raw }
  public func hash(into hasher: inout Hasher) { hasher.combine(raw) }

  public var body: Slice { raw[bodyStart...] }

  /// The first value of the field, unfolded where it was folded (then, and only then, copied).
  public func value(_ name: HeaderName) -> Slice? {
    fields.first { $0.name == name }.map { unfolded($0.valueRange) }
  }

  /// The values of all lines of the field, in order, one per line.
  public func lines(_ name: HeaderName) -> [Slice] {
    fields.filter { $0.name == name }.map { unfolded($0.valueRange) }
  }

  /// RFC 3261 §7.3.1: a line end followed by white space is one space.
  private func unfolded(_ range: Range<Int>) -> Slice {
    let value = raw[range]
    guard value.contains(where: { $0 == 13 || $0 == 10 }) else { return value }
    var out = Bytes()
    var isAtLineStart = false
    for byte in value {
      if byte == 13 || byte == 10 {
        if !isAtLineStart { while out.last == 32 || out.last == 9 { out.removeLast() } }
        isAtLineStart = true
      } else if isAtLineStart, byte == 32 || byte == 9 {
        continue
      } else {
        if isAtLineStart { out.append(32) }
        isAtLineStart = false
        out.append(byte)
      }
    }
    return out[...]
  }
}

/// A request (RFC 3261 §7.1).
public struct Request: Sendable, Hashable {
  public let message: Message
  public let method: Method
  let uriRange: Range<Int>

  init(message: Message, method: Method, uriRange: Range<Int>) {
    self.message = message
    self.method = method
    self.uriRange = uriRange
  }

  /// The Request-URI as it was sent.
  public var uri: Slice { message.raw[uriRange] }
}

/// A response (RFC 3261 §7.2).
public struct Response: Sendable, Hashable {
  public let message: Message
  /// 100 to 699.
  public let status: Int
  let reasonRange: Range<Int>

  init(message: Message, status: Int, reasonRange: Range<Int>) {
    self.message = message
    self.status = status
    self.reasonRange = reasonRange
  }

  public var reason: Slice { message.raw[reasonRange] }
}
