public import Primitives

/// A URI (RFC 3261 §19.1, RFC 3966), split without unescaping: `%40` in a user part is no border (RFC 4475 §3.1.1.3).
public struct URI: Sendable, Hashable {
  public enum Scheme: Sendable, Hashable { case sip, sips, tel, other }

  /// As it came.
  public let raw: Slice
  public let scheme: Scheme
  /// The user part as it came, nil for none; of a `tel` URI the number.
  public let user: Slice?
  public let password: Slice?
  /// nil for `tel` and other schemes.
  public let hostPort: HostPort?
  public let parameters: Parameters
  /// What follows the question mark; empty for none.
  public let headers: Slice

  /// Throws 400.
  public init(_ raw: Slice) throws(SIPError) {
    guard let colon = raw.firstIndex(of: UInt8(ascii: ":")), let scheme = Self.scheme(raw[..<colon]),
      !raw.contains(where: \.isForbiddenInURI)
    else { throw .bad(.uri) }
    self.raw = raw
    self.scheme = scheme
    let rest = raw[(colon + 1)...]
    switch scheme {
    case .sip, .sips: (user, password, hostPort, parameters, headers) = try Self.sip(rest)
    case .tel: (user, password, hostPort, parameters, headers) = try Self.tel(rest)
    case .other:
      guard !rest.isEmpty else { throw .bad(.uri) }
      (user, password, hostPort, headers) = (nil, nil, nil, raw[raw.endIndex...])
      parameters = try Parameters(uri: raw[raw.endIndex...])
    }
  }

  private typealias Parts = (user: Slice?, password: Slice?, hostPort: HostPort?, parameters: Parameters, headers: Slice)

  /// RFC 3986 §3.1; nil for what is no scheme.
  private static func scheme(_ name: Slice) -> Scheme? {
    if name.equalsIgnoringCase("sip") { return .sip }
    if name.equalsIgnoringCase("sips") { return .sips }
    if name.equalsIgnoringCase("tel") { return .tel }
    guard let first = name.first, first.lowercased &- 97 < 26 else { return nil }
    let isScheme = name.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    return isScheme ? .other : nil
  }

  private static func sip(_ text: Slice) throws(SIPError) -> Parts {
    var rest = text
    var user: Slice?
    var password: Slice?
    if let at = text.firstIndex(of: UInt8(ascii: "@")) {
      (user, password) = try userInfo(text[..<at])
      rest = text[(at + 1)...]
      guard !rest.contains(UInt8(ascii: "@")) else { throw .bad(.uri) }
    }
    let question = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    let semicolon = rest[..<question].firstIndex(of: UInt8(ascii: ";")) ?? question
    return (
      user, password, try HostPort(rest[..<semicolon]), try Parameters(uri: rest[semicolon..<question]), rest[question...].dropFirst()
    )
  }

  private static func userInfo(_ text: Slice) throws(SIPError) -> (Slice, Slice?) {
    guard hasWholeEscapes(text) else { throw .bad(.uri) }
    let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    guard colon > text.startIndex else { throw .bad(.uri) }
    return (text[..<colon], colon < text.endIndex ? text[(colon + 1)...] : nil)
  }

  private static func hasWholeEscapes(_ text: Slice) -> Bool {
    text.indices.allSatisfy { text[$0] != UInt8(ascii: "%") || text.escape(at: $0) != nil }
  }

  private static func tel(_ text: Slice) throws(SIPError) -> Parts {
    let semicolon = text.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
    guard semicolon > text.startIndex, hasWholeEscapes(text) else { throw .bad(.uri) }
    return (text[..<semicolon], nil, nil, try Parameters(uri: text[semicolon...]), text[text.endIndex...])
  }

  public var host: Slice? { hostPort?.host }
  public var port: UInt16? { hostPort?.port }

  /// The user part with its escapes resolved: what two user parts are compared by.
  public var unescapedUser: Bytes? { user?.unescaped }

  /// Whether a route with this URI is loose (RFC 3261 §16.12).
  public var isLooseRouter: Bool { parameters.has("lr") }
}
