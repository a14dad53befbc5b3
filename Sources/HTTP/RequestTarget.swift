import Primitives

/// RFC 9112 §3.2: the forms of a request target, and RFC 9110 §7.2: the Host that goes with it.
struct RequestTarget: Equatable {
  /// nil in origin form and asterisk form: the Host field says it.
  var authority: String?
  var path: String

  /// `scheme` is what this connection speaks: an absolute form with another one is not for us.
  init(_ target: Slice, method: String) throws(HTTPError) {
    guard method != "CONNECT" else { throw .notImplemented }
    guard target.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else { throw .malformed(.target) }
    if Self.isPath(target, method: method) {
      path = target.text
    } else {
      guard let rest = Self.afterScheme(target) else { throw .malformed(.target) }
      let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
      guard Self.isAuthority(rest[..<end]) else { throw .malformed(.target) }
      authority = rest[..<end].text
      path = Self.rooted(rest[end...], method: method)
    }
  }

  /// RFC 9112 §3.2.4: an OPTIONS for an empty path asks about the server as a whole.
  private static func rooted(_ path: Slice, method: String) -> String {
    if path.isEmpty { return method == "OPTIONS" ? "*" : "/" }
    return path.first == UInt8(ascii: "/") ? path.text : "/" + path.text
  }

  private static func afterScheme(_ target: Slice) -> Slice? {
    for scheme in ["https://", "http://"] where target.prefix(scheme.utf8.count).equalsIgnoringCase(Array(scheme.utf8)) {
      return target.dropFirst(scheme.utf8.count)
    }
    return nil
  }

  static func isPath(_ path: Slice, method: String) -> Bool {
    if path.equals("*") { return method == "OPTIONS" }
    return path.first == UInt8(ascii: "/") && path.allSatisfy { $0.isVisible && $0 != UInt8(ascii: "#") }
  }

  /// `uri-host [":" port]` of RFC 3986, without user information (RFC 9110 §4.2.4) and with a host (§4.2.1).
  static func isAuthority(_ authority: Slice) -> Bool {
    var host = authority
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return false }
      guard IPAddress(authority[(authority.startIndex + 1)..<end])?.isIPv6 != nil else { return false }
      return isPort(authority[(end + 1)...])
    }
    if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
      guard isPort(authority[colon...]) else { return false }
      host = authority[..<colon]
    }
    return !host.isEmpty && host.count <= 255 && host.allSatisfy(isHostCharacter)
  }

  /// Nothing, or a colon and up to five digits.
  private static func isPort(_ text: Slice) -> Bool {
    text.isEmpty || text.first == UInt8(ascii: ":") && text.count <= 6 && text.dropFirst().allSatisfy(\.isDigit)
  }

  /// `reg-name` without sub-delims but those that a host name has in practice.
  private static func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, 45, 46, 95, 126, 37: true
    default: false
    }
  }
}
