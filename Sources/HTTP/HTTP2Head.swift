import Primitives

/// Collects the fields of one head. nghttp2 has checked order and form of the pseudo-header fields (RFC 9113 §8.3); limits are ours.
struct HTTP2Head {
  private(set) var fields = HTTPFields()
  private var pseudo: [String: String] = [:]
  private var size = 0
  /// The first thing that was wrong; the head is refused for it once it is complete.
  private(set) var flaw: HTTPError?

  /// The size of a field is that of RFC 9113 §6.5.2: name, value and 32.
  mutating func add(_ name: String, _ value: Bytes, limits: HTTPLimits) {
    size += name.utf8.count + value.count + 32
    guard flaw == nil else { return }
    guard fields.count < limits.fieldCount, size <= limits.fieldBytes + limits.startLine else { return flaw = .fieldsTooLarge }
    guard let text = String(validating: value, as: UTF8.self) else { return flaw = .malformed(.field) }
    if name.hasPrefix(":") { pseudo[name] = text } else { fields.append(name, text) }
  }

  var status: Int? { pseudo[":status"].flatMap { Array($0.utf8).decimal() } }

  /// RFC 9113 §8.3.1; Host counts where there is no `:authority`, and may not differ from it.
  func request(scheme: String, limits: HTTPLimits) throws(HTTPError) -> HTTPRequest {
    if let flaw { throw flaw }
    guard let method = pseudo[":method"], method != "CONNECT", pseudo[":protocol"] == nil else { throw .notImplemented }
    guard let path = pseudo[":path"], pseudo[":scheme"]?.asciiLowercased == scheme else { throw .malformed(.target) }
    guard path.utf8.count <= limits.startLine else { throw .targetTooLong }
    guard RequestTarget.isPath(Array(path.utf8)[...], method: method) else { throw .malformed(.target) }
    return HTTPRequest(method: method, scheme: scheme, authority: try authority(), path: path, fields: fields)
  }

  private func authority() throws(HTTPError) -> String {
    let hosts = fields.values("host")
    guard hosts.count <= 1, let authority = pseudo[":authority"] ?? hosts.first else { throw .malformed(.host) }
    guard RequestTarget.isAuthority(Array(authority.utf8)[...]) else { throw .malformed(.host) }
    guard hosts.allSatisfy({ $0.asciiLowercased == authority.asciiLowercased }) else { throw .malformed(.host) }
    return authority
  }

  /// Whether the head says already that the body will be over the limit.
  func announcesTooMuch(_ limits: HTTPLimits) -> Bool {
    guard let text = fields["content-length"] else { return false }
    return Array(text.utf8).decimal().map { $0 > limits.body } ?? true
  }
}
