import Cryptography
import Primitives

/// The JWT (RFC 7519, ES256) that tells Apple who pushes: the same bytes for the same time.
struct ProviderToken: Sendable, Discreet {
  let keyID: String
  let teamID: String
  let key: SigningPrivateKey

  func jwt(issuedAt: Instant) throws(KeyError) -> String {
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = #"{"iss":"\#(teamID)","iat":\#(issuedAt.seconds)}"#
    return try JWS.es256(header: header.utf8, claims: claims.utf8, key: key).text
  }
}
