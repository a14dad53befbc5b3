import Cryptography
import Primitives
import SIP

/// The Authorization of a request (RFC 7616 §3.4). What the server computes is computed here a second time, by other code: a mistake in
/// one of them shows.
struct DigestAnswer {
  private let parameters: [String: String]

  /// nil where it is no digest.
  init?(_ value: Slice) {
    guard value.prefix(7).equalsIgnoringCase("Digest ") else { return nil }
    parameters = Self.read(value.dropFirst(7))
  }

  var username: String? { parameters["username"] }
  var realm: String? { parameters["realm"] }
  var nonce: String? { parameters["nonce"] }
  /// How often the client has used the nonce.
  var count: UInt32? { parameters["nc"].flatMap { UInt32($0, radix: 16) } }

  var algorithm: DigestAlgorithm? { DigestAlgorithm(Array((parameters["algorithm"] ?? "MD5").utf8)) }

  /// Whether it shows that the client knows the password. Always of quality `auth`: the stand-in offers no other.
  func proves(_ password: String, method: Method) -> Bool {
    guard let algorithm, let username, let realm, let nonce, let uri = parameters["uri"], let cnonce = parameters["cnonce"],
      let count = parameters["nc"], parameters["qop"] == "auth"
    else { return false }
    let secret = Self.hash("\(username):\(realm):\(password)", algorithm)
    let what = Self.hash("\(method.bytes.text):\(uri)", algorithm)
    return parameters["response"] == Self.hash("\(secret):\(nonce):\(count):\(cnonce):auth:\(what)", algorithm)
  }

  static func hash(_ text: String, _ algorithm: DigestAlgorithm) -> String {
    switch algorithm {
    case .md5: Hex.encode(Hash.md5(text.utf8))
    case .sha256: Hex.encode(Hash.sha256(text.utf8))
    case .sha512to256: Hex.encode(Hash.sha512_256(text.utf8))
    }
  }

  /// `a="b", c=d`. A comma within quotes ends nothing.
  private static func read(_ value: Slice) -> [String: String] {
    var parameters: [String: String] = [:]
    var isQuoted = false
    let parts = value.split { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    for part in parts {
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = part[..<equals].text.filter { $0 != " " }.lowercased()
      parameters[name] = part[(equals + 1)...].filter { $0 != UInt8(ascii: "\"") }.text
    }
    return parameters
  }
}
