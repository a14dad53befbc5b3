import Primitives

/// `method SP request-target SP HTTP-version` (RFC 9112 §3), one space each.
struct RequestLine: Equatable {
  let method: String
  let isHTTP10: Bool
  private let target: Slice

  init(_ line: Slice) throws(HTTPError) {
    let parts = line.split(separator: 32, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter), !parts[1].isEmpty else {
      throw .malformed(.startLine)
    }
    method = parts[0].text
    target = parts[1]
    isHTTP10 = try HTTP1Version.isHTTP10(parts[2])
  }

  /// RFC 9112 §3.2, §3.2.2: exactly one Host, and the absolute form beats it.
  func request(scheme: String, fields: HTTPFields) throws(HTTPError) -> HTTPRequest {
    let parsed = try RequestTarget(target, method: method)
    let hosts = fields.values("host")
    guard hosts.count == 1 || hosts.isEmpty && isHTTP10 else { throw .malformed(.host) }
    if let host = hosts.first, !RequestTarget.isAuthority(Array(host.utf8)[...]) { throw .malformed(.host) }
    return HTTPRequest(
      method: method, scheme: scheme, authority: parsed.authority ?? hosts.first ?? "", path: parsed.path, fields: fields,
      target: target.text)
  }

  func keepsAlive(_ fields: HTTPFields) -> Bool { HTTP1Version.keepsAlive(fields, isHTTP10: isHTTP10) }
}

/// RFC 9112 §2.3 and §9.3.
enum HTTP1Version {
  static func isHTTP10(_ version: Slice) throws(HTTPError) -> Bool {
    guard version.count == 8, version.prefix(5).equals("HTTP/"), version[version.startIndex + 6] == UInt8(ascii: ".") else {
      throw .malformed(.startLine)
    }
    let major = version[version.startIndex + 5]
    let minor = version[version.startIndex + 7]
    guard major.isDigit, minor.isDigit else { throw .malformed(.startLine) }
    guard major == UInt8(ascii: "1") else { throw .versionNotSupported }
    return minor == UInt8(ascii: "0")
  }

  static func keepsAlive(_ fields: HTTPFields, isHTTP10: Bool) -> Bool {
    let options = fields.tokens("connection")
    if options.contains("close") { return false }
    return !isHTTP10 || options.contains("keep-alive")
  }
}
