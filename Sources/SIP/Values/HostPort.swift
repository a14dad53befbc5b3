public import Primitives

/// `host [":" port]` (RFC 3261 §25.1), as in a URI and in a Via's sent-by.
public struct HostPort: Sendable, Hashable {
  /// As it was written; an IPv6 address stands in its brackets.
  public let host: Slice
  public let port: UInt16?

  /// Throws 400 for anything but a name of letters, digits, `-`, `_`, `.`, an IPv4 address, or an IPv6 address in brackets (RFC 5118 §4.2).
  public init(_ text: Slice) throws(SIPError) {
    var rest = Cursor(text)
    host = try Self.host(&rest)
    guard rest.skip(":") else {
      guard rest.isAtEnd else { throw .bad(.uri) }
      port = nil
      return
    }
    guard let number = rest.rest.decimal(as: UInt16.self) else { throw .bad(.uri) }
    port = number
  }

  private static func host(_ rest: inout Cursor) throws(SIPError) -> Slice {
    guard rest.next == UInt8(ascii: "[") else {
      let name = rest.run { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_") }
      guard !name.isEmpty else { throw .bad(.uri) }
      return name
    }
    let opened = rest.run { $0 != UInt8(ascii: "]") }
    guard IPAddress(opened.dropFirst()) != nil, opened.contains(UInt8(ascii: ":")), rest.skip("]") else { throw .bad(.uri) }
    return rest.bytes[opened.startIndex...opened.endIndex]
  }

  /// The address, where the host is one and no name.
  public var address: IPAddress? {
    host.first == UInt8(ascii: "[") ? IPAddress(host.dropFirst().dropLast()) : IPAddress(host)
  }
}
