import Cryptography
import Primitives

/// The JWT (RFC 7519, ES256) that tells Apple who pushes: one per key.
struct ProviderToken: Sendable, Discreet {
  let keyID: String
  let teamID: String
  let key: SigningPrivateKey

  /// Whether Apple takes both for the same.
  func isSame(as other: ProviderToken) -> Bool {
    keyID == other.keyID && teamID == other.teamID && key.publicKey == other.key.publicKey
  }

  /// `issuedAt` by the wall clock: Apple compares it with its own.
  func jwt(issuedAt: Instant) throws(KeyError) -> String {
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt.seconds)}"#
    return try JWS.es256(header: header.utf8, claims: claims.utf8, key: key).text
  }
}
