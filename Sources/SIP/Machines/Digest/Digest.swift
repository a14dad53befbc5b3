public import Primitives

/// Which challenges of a response are answered, and with which credential.
public enum Digest {
  public struct Choice: Sendable, Hashable {
    public var challenge: DigestChallenge
    public var credential: DigestCredential
  }

  /// For each realm that asked, the strongest challenge for which a credential exists, whatever order they came in (RFC 8760 §2.4
  /// would take the first one; a registrar that sorts them badly is not worth a weaker hash).
  public static func choose(from challenges: [DigestChallenge], with credentials: [DigestCredential]) -> [Choice] {
    var choices: [Choice] = []
    for challenge in challenges {
      guard let credential = credentials.first(where: { $0.realm == challenge.realm && $0.algorithm == challenge.algorithm }) else {
        continue
      }
      let choice = Choice(challenge: challenge, credential: credential)
      if let known = choices.firstIndex(where: { $0.challenge.isSameAsker(as: challenge) }) {
        if choices[known].challenge.algorithm < challenge.algorithm { choices[known] = choice }
      } else {
        choices.append(choice)
      }
    }
    return choices
  }
}

extension DigestChallenge {
  /// Both come from one server: the registrar or a proxy, told apart by their realm.
  func isSameAsker(as other: DigestChallenge) -> Bool { isProxy == other.isProxy && realm == other.realm }
}

/// What is known of one server that challenges: its last nonce and how often it was used. Goes along from request to request, over
/// nodes too, so that a refresh needs no new challenge (RFC 7616 §3.3, `nc` counts per nonce).
public struct DigestSession: Sendable, Hashable {
  public internal(set) var challenge: DigestChallenge
  let username: Bytes
  let credential: DigestCredential
  var cnonce: Bytes
  var uses: UInt32 = 0

  /// - Parameter cnonce: what this side adds to each digest of this nonce; random.
  public init(_ choice: Digest.Choice, username: Bytes, cnonce: Bytes) {
    challenge = choice.challenge
    credential = choice.credential
    self.username = username
    self.cnonce = cnonce
  }

  /// The header field that carries the answer.
  public var header: HeaderName { challenge.isProxy ? .proxyAuthorization : .authorization }

  /// The server wants another nonce from now on (RFC 7616 §3.5 `nextnonce`).
  public mutating func renew(nonce: Bytes, cnonce: Bytes) {
    challenge.nonce = nonce
    self.cnonce = cnonce
    uses = 0
  }

  /// The value of the header field for one more request (RFC 7616 §3.4).
  public mutating func authorization(method: Method, uri: some Collection<UInt8>, body: some Collection<UInt8> = []) -> Bytes {
    uses += 1
    let count = Self.eightDigits(uses)
    let response = digest(method: method, uri: uri, body: body, count: count)
    var value = Bytes()
    value.append("Digest ")
    value.append("username", quoted: username)
    value.append(", realm", quoted: challenge.realm)
    value.append(", nonce", quoted: challenge.nonce)
    value.append(", uri", quoted: uri)
    value.append(", response", quoted: response)
    if challenge.namesAlgorithm {
      value.append(", algorithm=")
      value.append(challenge.algorithm.name)
      if challenge.isSession { value.append("-sess") }
    }
    if let opaque = challenge.opaque { value.append(", opaque", quoted: opaque) }
    // A server without qop would not expect a cnonce, unless the -sess form needs it.
    if challenge.protection != nil || challenge.isSession { value.append(", cnonce", quoted: cnonce) }
    if let protection = challenge.protection {
      value.append(", qop=")
      value.append(protection.name)
      value.append(", nc=")
      value.append(contentsOf: count)
    }
    return value
  }

  private func digest(method: Method, uri: some Collection<UInt8>, body: some Collection<UInt8>, count: Bytes) -> Bytes {
    let algorithm = challenge.algorithm
    let secret = challenge.isSession ? algorithm.hexHash(joined(credential.ha1, challenge.nonce, cnonce)) : credential.ha1
    guard let protection = challenge.protection else {
      return algorithm.hexHash(joined(secret, challenge.nonce, algorithm.hexHash(joined(method.bytes, Array(uri)))))
    }
    let what =
      protection == .auth ? joined(method.bytes, Array(uri)) : joined(method.bytes, Array(uri), algorithm.hexHash(Array(body)))
    var name = Bytes()
    name.append(protection.name)
    return algorithm.hexHash(joined(secret, challenge.nonce, count, cnonce, name, algorithm.hexHash(what)))
  }

  private func joined(_ parts: Bytes...) -> Bytes { Array(parts.joined(separator: [UInt8(ascii: ":")])) }

  private static func eightDigits(_ number: UInt32) -> Bytes {
    let digits = Array(String(number, radix: 16).utf8)
    return Bytes(repeating: UInt8(ascii: "0"), count: 8 - digits.count) + digits
  }
}

extension Bytes {
  /// Appends `name="value"` as a quoted-string (RFC 3261 §25.1).
  fileprivate mutating func append(_ name: StaticString, quoted value: some Collection<UInt8>) {
    append(name)
    append("=\"")
    for byte in value {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(byte)
    }
    append("\"")
  }
}
