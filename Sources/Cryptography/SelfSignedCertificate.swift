public import Primitives

/// A certificate that nobody else vouches for: for a server that is tried out on its own machine, and for tests.
public enum SelfSignedCertificate {
  /// A new P-256 key and a certificate for these names and addresses, valid for 397 days from an hour ago. Nothing touches a disk.
  public static func make(names: [String], addresses: [IPAddress]) throws(CertificateError) -> (certificatePEM: Bytes, keyPEM: Bytes) {
    let key = Key.generate(.p256)
    let template = CertificateTemplate(
      commonName: "ringhold", use: .server, names: names, addresses: addresses, validity: CertificateAuthority.leafValidity)
    let certificate = try template.sign(key, by: nil)
    return (PEM.text(certificate), PEM.text(key))
  }
}
