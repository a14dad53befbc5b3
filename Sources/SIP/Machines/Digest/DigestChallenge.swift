public import Primitives

/// One challenge of a WWW-Authenticate or Proxy-Authenticate (RFC 3261 §22, RFC 7616 §3.3) that a digest can answer.
public struct DigestChallenge: Sendable, Hashable {
  /// What the digest protects (RFC 7616 §3.3 `qop`).
  public enum Protection: UInt8, Sendable, Hashable {
    case auth, authInt

    var name: StaticString { self == .auth ? "auth" : "auth-int" }
  }

  public let realm: Bytes
  public internal(set) var nonce: Bytes
  public let opaque: Bytes?
  public let algorithm: DigestAlgorithm
  /// The -sess form of the algorithm.
  public let isSession: Bool
  /// Whether the challenge named its algorithm: only then the answer does.
  let namesAlgorithm: Bool
  /// The best protection offered; nil for a server older than RFC 2617, which knows none.
  public let protection: Protection?
  /// The nonce was too old, the credentials were right.
  public let isStale: Bool
  /// From a 407: the answer goes into Proxy-Authorization.
  public let isProxy: Bool

  /// All challenges of a response, both kinds, in order. What no digest of ours can answer is left out.
  public static func all(in response: Response) -> [DigestChallenge] {
    let direct = response.message.lines(.wwwAuthenticate).flatMap { parse($0, isProxy: false) }
    let proxy = response.message.lines(.proxyAuthenticate).flatMap { parse($0, isProxy: true) }
    return Array((direct + proxy).prefix(limit))
  }

  /// What the challenges of a response ask for, each once. Where no digest of ours can answer any, what those ask for.
  public static func demands(in response: Response) -> [RegistrationStatus.Demand] {
    let known = all(in: response).map { challenge in
      var name = Bytes()
      name.append(challenge.algorithm.name)
      return RegistrationStatus.Demand(realm: challenge.realm, algorithm: name)
    }
    let asked = known.isEmpty ? unanswerable(in: response) : known
    return asked.indices.filter { asked.firstIndex(of: asked[$0]) == $0 }.map { asked[$0] }
  }

  private static func unanswerable(in response: Response) -> [RegistrationStatus.Demand] {
    let lines = response.message.lines(.wwwAuthenticate) + response.message.lines(.proxyAuthenticate)
    return lines.flatMap { ChallengeReader.read($0) }.prefix(limit).compactMap { challenge in
      guard challenge.scheme.equalsIgnoringCase("Digest"), let realm = challenge.parameter("realm") else { return nil }
      return RegistrationStatus.Demand(realm: realm, algorithm: challenge.parameter("algorithm") ?? Bytes("MD5".utf8))
    }
  }

  /// More challenges than any registrar sends; the rest is not looked at.
  static let limit = 16

  /// The challenges of one header field value.
  public static func parse(_ value: Slice, isProxy: Bool) -> [DigestChallenge] {
    ChallengeReader.read(value).compactMap { DigestChallenge($0, isProxy: isProxy) }
  }

  /// nil for another scheme, an unknown algorithm or protection, or where realm or nonce is missing.
  init?(_ read: ChallengeReader.Challenge, isProxy: Bool) {
    guard read.scheme.equalsIgnoringCase("Digest"), let realm = read.parameter("realm"), let nonce = read.parameter("nonce") else {
      return nil
    }
    var name = read.parameter("algorithm")
    isSession = name?.suffix(5).equalsIgnoringCase("-sess") ?? false
    if isSession { name?.removeLast(5) }
    // A server that names none means MD5 (RFC 7616 §3.3).
    guard let algorithm = name.map({ DigestAlgorithm($0) }) ?? .md5 else { return nil }
    let offered = (read.parameter("qop") ?? []).split { $0 == UInt8(ascii: ",") || $0 == 32 || $0 == 9 }
    protection = Self.best(of: offered)
    guard offered.isEmpty || protection != nil else { return nil }
    (self.realm, self.nonce, self.opaque) = (realm, nonce, read.parameter("opaque"))
    (self.algorithm, namesAlgorithm) = (algorithm, name != nil)
    isStale = read.parameter("stale")?.equalsIgnoringCase("true") ?? false
    self.isProxy = isProxy
  }

  /// `auth` before `auth-int`: the body of a SIP request may change on its way.
  private static func best(of offered: [Slice]) -> Protection? {
    if offered.contains(where: { $0.equalsIgnoringCase("auth") }) { return .auth }
    return offered.contains { $0.equalsIgnoringCase("auth-int") } ? .authInt : nil
  }
}
