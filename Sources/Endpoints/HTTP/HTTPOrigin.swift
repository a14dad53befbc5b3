import Primitives

/// Scheme, host and port of a server (RFC 9110 §4.3.1).
public struct HTTPOrigin: Hashable, Sendable {
  public enum Scheme: String, Sendable { case http, https }

  public let scheme: Scheme
  /// A name, or an address without brackets.
  public let host: String
  public let port: UInt16

  public init(scheme: Scheme, host: String, port: UInt16? = nil) {
    self.scheme = scheme
    self.host = host
    self.port = port ?? scheme.defaultPort
  }

  /// `https://host[:port]`, where a slash may follow and nothing else.
  public init?(_ text: String) {
    guard let scheme = [Scheme.https, .http].first(where: { text.hasPrefix($0.rawValue + "://") }) else { return nil }
    var rest = text.dropFirst(scheme.rawValue.count + 3)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    let (host, port) = Self.split(rest)
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && !"/?#@[]".utf8.contains($0) }) else { return nil }
    if port.isEmpty {
      self.init(scheme: scheme, host: host)
    } else {
      guard let number = Array(port.utf8).decimal(as: UInt16.self), number > 0 else { return nil }
      self.init(scheme: scheme, host: host, port: number)
    }
  }

  private static func split(_ text: Substring) -> (host: String, port: Substring) {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard IPAddress(host) != nil, rest.isEmpty || rest.hasPrefix(":") else { return ("", "") }
      return (host, rest.dropFirst())
    }
    guard let colon = text.firstIndex(of: ":") else { return (String(text), "") }
    return (String(text[..<colon]), text[text.index(after: colon)...])
  }

  /// As Host and `:authority` have it: the port only where it is not the scheme's own.
  public var authority: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == scheme.defaultPort ? name : "\(name):\(port)"
  }
}

extension HTTPOrigin.Scheme {
  fileprivate var defaultPort: UInt16 { self == .https ? 443 : 80 }
}
