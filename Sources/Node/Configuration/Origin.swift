import Primitives

/// Scheme, host and port of a server that is spoken to over HTTP.
public struct Origin: Sendable, Hashable {
  public let isSecure: Bool
  /// A name in lower case or the text of an address, without brackets.
  public let host: String
  public let port: UInt16

  /// `https://HOST[:PORT]` or `http://…`, without a path beyond `/`.
  public init?(_ text: String) {
    guard let (isSecure, rest) = Self.scheme(of: text) else { return nil }
    let authority = rest.hasSuffix("/") ? String(rest.dropLast()) : rest
    let standard: UInt16 = isSecure ? 443 : 80
    if let address = SocketAddress(authority) ?? SocketAddress("\(authority):\(standard)") {
      self.init(isSecure: isSecure, host: address.ip.text, port: address.port)
      return
    }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(parts.count), let name = HostName(configured: parts[0]) else { return nil }
    guard let port = parts.count == 1 ? standard : Array(parts[1].utf8).decimal(as: UInt16.self) else { return nil }
    self.init(isSecure: isSecure, host: name.text, port: port)
  }

  private init(isSecure: Bool, host: String, port: UInt16) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  private static func scheme(of text: String) -> (isSecure: Bool, rest: String)? {
    let bytes = Array(text.utf8)
    if bytes.prefix(8).equalsIgnoringCase("https://") { return (true, bytes.dropFirst(8).text) }
    if bytes.prefix(7).equalsIgnoringCase("http://") { return (false, bytes.dropFirst(7).text) }
    return nil
  }
}

/// A name of DNS: labels of letters, digits, hyphens (RFC 1123 §2.1), in lower case, without a final dot.
struct HostName: Hashable {
  let text: String

  init?(configured text: String) {
    let labels = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, labels.allSatisfy(Self.isLabel) else { return nil }
    self.text = text.utf8.map(\.lowercased).text
  }

  private static func isLabel(_ label: Slice) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { $0 == hyphen || (48...57).contains($0) || (97...122).contains($0.lowercased) }
  }
}
