public import Primitives

/// A request, whichever version of HTTP it comes or goes by. Its path may hold a token, its fields and body anything.
public struct HTTPRequest: Sendable, Equatable, Discreet {
  public var method: String
  /// `https` or `http`.
  public var scheme: String
  /// Host and optional port, as sent.
  public var authority: String
  /// Path and query, as sent: `/v1/x?y=z`; `*` for an OPTIONS of the whole server.
  public var path: String
  public var fields: HTTPFields
  public var body: Bytes
  /// The target as it stands in the request line (RFC 9112 §3.2): other than `path` only in the absolute form.
  public var target: String

  public init(
    method: String, scheme: String = "https", authority: String, path: String, fields: HTTPFields = [:], body: Bytes = [],
    target: String? = nil
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.fields = fields
    self.body = body
    self.target = target ?? path
  }

  public var shown: String { method }

  /// The path without the query.
  public var pathOnly: String { String(path.prefix { $0 != "?" }) }

  /// What follows the question mark; nil where there is none.
  public var query: String? {
    guard let mark = path.firstIndex(of: "?") else { return nil }
    return String(path[path.index(after: mark)...])
  }

  /// Whether it can be sent as it is: a method, a path and an authority that cannot be taken for anything else.
  var isSendable: Bool {
    !method.isEmpty && method.utf8.allSatisfy(\.isTokenCharacter)
      && RequestTarget.isPath(Array(path.utf8)[...], method: method)
      && RequestTarget.isAuthority(Array(authority.utf8)[...])
      && fields.allSatisfy { !$0.name.isEmpty && $0.name.utf8.allSatisfy(\.isTokenCharacter) }
  }
}

/// A final response.
public struct HTTPResponse: Sendable, Equatable, Discreet {
  public var status: Int
  public var fields: HTTPFields
  public var body: Bytes

  public init(status: Int, fields: HTTPFields = [:], body: Bytes = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  public var shown: String { String(status) }

  /// 1xx, 204 and 304 have no body, whatever their fields say (RFC 9112 §6.3).
  static func hasNoBody(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }
}
