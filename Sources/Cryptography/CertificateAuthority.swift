import COpenSSL
public import Primitives

/// A private authority: the nodes of a cluster trust each other by it, and tests make their servers with it. P-256 throughout.
public struct CertificateAuthority: Sendable {
  public let certificatePEM: Bytes
  private let key: Key

  /// A new one, valid for ten years.
  public init(commonName: String) throws(CertificateError) {
    key = Key.generate(.p256)
    let template = CertificateTemplate(commonName: commonName, use: .authority, validity: Self.backdating..<Self.day * 3650)
    certificatePEM = PEM.text(try template.sign(key, by: nil))
  }

  /// One that was made before.
  public init(certificatePEM: Bytes, keyPEM: Bytes) throws(CertificateError) {
    guard let certificate = PEM.certificates(certificatePEM)?.first, let key = PEM.privateKey(keyPEM),
      unsafe X509_check_private_key(certificate.pointer, key.pointer) == 1
    else {
      ERR_clear_error()
      throw .unusableAuthority
    }
    self.certificatePEM = certificatePEM
    self.key = key
  }

  /// The secret, PKCS #8 without a password.
  public var keyPEM: Bytes { PEM.text(key) }

  /// A new key and a certificate, for servers and clients, signed by this authority.
  /// - Parameter validity: from and until when, counted from now.
  public func issue(
    names: [String], addresses: [IPAddress] = [], validity: Range<Duration> = CertificateAuthority.leafValidity
  ) throws(CertificateError) -> (certificatePEM: Bytes, keyPEM: Bytes) {
    guard let issuer = PEM.certificates(certificatePEM)?.first else { throw .unusableAuthority }
    let leafKey = Key.generate(.p256)
    let template = CertificateTemplate(
      commonName: "ringhold", use: .node, names: names, addresses: addresses, validity: validity)
    return (PEM.text(try template.sign(leafKey, by: (issuer, key))), PEM.text(leafKey))
  }

  /// From an hour ago, for clocks that are behind, to the 397 days that phones accept at most.
  public static let leafValidity = backdating..<day * 397

  private static let backdating = Duration.seconds(-3600)
  private static let day = Duration.seconds(86400)
}
