import Cryptography
import Primitives
import SIP
import Store

/// Somebody who has an account at the provider, and where he is reached.
struct Subscriber {
  struct Binding {
    let contact: Bytes
    var until: Instant
    let callID: Bytes
    var cseq: UInt32
    /// The connection that it came over.
    var wire: Int?
  }

  let account: Int
  let id: AccountID
  let user: String
  let domain: String
  var bindings: [Binding] = []
  var nonce = ""
  var nonceCount: UInt32 = 0

  var password: String { "secret-\(user)" }

  /// RFC 7616 §3.4.2.
  var ha1: String { Subscriber.md5("\(user):\(domain):\(password)") }

  func live(_ now: Instant) -> [Binding] { bindings.filter { $0.until > now } }

  static func md5(_ text: String) -> String { Hex.encode(Hash.md5(text.utf8)) }

  /// Whether an Authorization shows that the password is known, for a nonce that is ours and a count that is new.
  mutating func takes(_ authorization: Slice, method: String) -> Bool {
    let values = Self.read(authorization.text)
    guard values["nonce"] == nonce, let uri = values["uri"], let cnonce = values["cnonce"], let nc = values["nc"],
      let count = UInt32(nc, radix: 16), count > nonceCount
    else { return false }
    let expected = Self.md5("\(ha1):\(nonce):\(nc):\(cnonce):auth:\(Self.md5("\(method):\(uri)"))")
    guard values["response"] == expected else { return false }
    nonceCount = count
    return true
  }

  /// `Digest a="b", c=d`; none of the values holds a comma.
  private static func read(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    for part in text.dropFirst("Digest ".count).split(separator: ",") {
      let words = part.split(separator: "=", maxSplits: 1)
      guard words.count == 2 else { continue }
      values[String(words[0].drop { $0 == " " })] = words[1].filter { $0 != "\"" }
    }
    return values
  }
}
