import Cryptography
import FoundationEssentials
import Primitives

/// The provider token of a request (RFC 7519 signed by ES256): who pushes, and since when.
struct ProviderTokenCheck {
  enum Verdict: Equatable { case good, missing, invalid, expired, tooManyUpdates }

  /// As Apple has it: a token is good for an hour, and renewed no more often than every 20 minutes.
  private static let lifetime: Duration = .seconds(3600)
  private static let shortestLifetime: Duration = .seconds(1200)
  private static let skew: Duration = .seconds(60)

  let key: SigningPublicKey
  let keyID: String
  let teamID: String
  private var newest: (token: String, issuedAt: Instant)?
  private var expired: Set<String> = []

  init(key: SigningPublicKey, keyID: String, teamID: String) {
    self.key = key
    self.keyID = keyID
    self.teamID = teamID
  }

  mutating func check(_ authorization: String?, now: Instant) -> Verdict {
    guard let authorization, authorization.hasPrefix("bearer ") else { return .missing }
    let token = String(authorization.dropFirst(7))
    if expired.contains(token) { return .expired }
    guard let issuedAt = issuedAt(token), issuedAt - now <= Self.skew else { return .invalid }
    if now - issuedAt > Self.lifetime { return .expired }
    if let newest, newest.token != token, !expired.contains(newest.token), issuedAt - newest.issuedAt < Self.shortestLifetime {
      return .tooManyUpdates
    }
    newest = (token, issuedAt)
    return .good
  }

  /// The token is refused from now on.
  mutating func expire(_ authorization: String) {
    if expired.count < 1000 { expired.insert(String(authorization.dropFirst(7))) }
  }

  /// nil where it is not signed by the key, or is someone else's.
  private func issuedAt(_ token: String) -> Instant? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let signature = Base64.urlSafe.decode(parts[2]),
      key.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8)),
      let header: Header = Self.read(parts[0]), header.alg == "ES256", header.kid == keyID,
      let claims: Claims = Self.read(parts[1]), claims.iss == teamID
    else { return nil }
    return .zero + .seconds(claims.iat)
  }

  private static func read<Part: Decodable>(_ text: String) -> Part? {
    Base64.urlSafe.decode(text).flatMap { try? JSONDecoder().decode(Part.self, from: Data($0)) }
  }

  private struct Header: Decodable { let alg, kid: String }

  private struct Claims: Decodable {
    let iss: String
    let iat: Int64
  }
}
