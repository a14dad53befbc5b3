import COpenSSL
public import Primitives

/// What a person wants to know of a certificate before a server uses it.
public struct CertificateSummary: Hashable, Sendable {
  public let notBefore: Instant
  public let notAfter: Instant
  /// Whether it was made for the key that was given with it.
  public let fitsKey: Bool
  /// Whether it names the host.
  public let namesHost: Bool

  /// Of the first certificate of a chain; nil where the chain or the key is no PEM of its kind.
  /// - Parameter host: a DNS name or an address.
  public init?(chainPEM: Bytes, keyPEM: Bytes, host: String) {
    defer { ERR_clear_error() }
    guard let leaf = PEM.certificates(chainPEM)?.first, let key = PEM.privateKey(keyPEM) else { return nil }
    guard let notBefore = unsafe Self.instant(X509_get0_notBefore(leaf.pointer)),
      let notAfter = unsafe Self.instant(X509_get0_notAfter(leaf.pointer))
    else { return nil }
    self.notBefore = notBefore
    self.notAfter = notAfter
    fitsKey = unsafe X509_check_private_key(leaf.pointer, key.pointer) == 1
    namesHost = unsafe ServerIdentity(host: host).fits(certificate: leaf.pointer)
  }

  /// Counted from the epoch; a year that `Instant` cannot hold is the distant future.
  private static func instant(_ time: UnsafePointer<ASN1_TIME>?) -> Instant? {
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_STRING_free(epoch) }
    var (days, seconds): (Int32, Int32) = (0, 0)
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return .zero + .seconds(Int64(days) * 86_400 + Int64(seconds))
  }
}
