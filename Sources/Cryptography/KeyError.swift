/// Why something is no key of ours.
public enum KeyError: Error, Hashable, Sendable {
  /// Another `kty` or `crv`, or a key that cannot do what is asked.
  case unsupportedKind
  /// A coordinate is missing, no base64url, or not of its one length.
  case unusableCoordinate
  /// No such point, or written otherwise than the one way to write it.
  case notOnCurve
  /// A point that gives every partner the same secret or lets anybody sign.
  case lowOrder
  /// No PKCS #8 PEM, broken, or behind a password.
  case unusablePEM
  /// A raw private key of the wrong length or value.
  case unusablePrivateKey
}
