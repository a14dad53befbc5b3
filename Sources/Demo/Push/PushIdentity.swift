public import Cryptography
public import Primitives

/// What the push stand-in and a server that pushes to it know of each other. Kept, it lets the stand-in start again under a server that
/// runs on.
public struct PushIdentity: Sendable {
  /// The authority that the stand-in's certificate comes from.
  public let authority: CertificateAuthority
  /// The key for provider tokens, as Apple hands it out (`.p8`).
  public let keyPEM: Bytes

  public init(authority: CertificateAuthority, keyPEM: Bytes) {
    self.authority = authority
    self.keyPEM = keyPEM
  }

  public static func make() throws(CertificateError) -> PushIdentity {
    let authority = try CertificateAuthority(commonName: "Push stand-in")
    // Of a certificate only its key is of use here: a PKCS #8 file on P-256, as the `.p8` is.
    return PushIdentity(authority: authority, keyPEM: try authority.issue(names: ["provider-token"]).keyPEM)
  }
}
