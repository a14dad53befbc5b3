public import Primitives

/// RFC 7515 signed tokens in compact serialisation.
public enum JWS {
  /// RFC 7518 §3.4. Both parts are JSON text; the header has to say `"alg":"ES256"`. The same parts and key give the same token.
  /// - Throws: `unsupportedKind` for a key that is not on P-256.
  public static func es256(header: some Collection<UInt8>, claims: some Collection<UInt8>, key: SigningPrivateKey) throws(KeyError) -> Bytes
  {
    var token = Array(Base64.urlSafe.encode(header).utf8)
    token.append(".")
    token.append(text: Base64.urlSafe.encode(claims))
    let signature = try key.signDeterministically(token)
    token.append(".")
    token.append(text: Base64.urlSafe.encode(signature))
    return token
  }
}
