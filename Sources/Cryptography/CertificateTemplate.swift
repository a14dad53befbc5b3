import COpenSSL
import Primitives

/// What a certificate of ours says; `sign` makes it.
struct CertificateTemplate {
  /// The extensions by RFC 5280 §4.2, in OpenSSL's notation.
  enum Use {
    case authority, server, node

    fileprivate var extensions: [(Int32, String)] {
      switch self {
      case .authority: [(NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign")]
      case .server: Self.leaf + [(NID_ext_key_usage, "serverAuth")]
      case .node: Self.leaf + [(NID_ext_key_usage, "serverAuth,clientAuth")]
      }
    }

    private static let leaf = [(NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature")]
  }

  var commonName: String
  var use: Use
  var names: [String] = []
  var addresses: [IPAddress] = []
  /// From and until when, counted from now.
  var validity: Range<Duration>

  /// - Parameter issuer: nil for a certificate that signs itself.
  func sign(_ key: Key, by issuer: (certificate: Certificate, key: Key)?) throws(CertificateError) -> Certificate {
    guard names.allSatisfy({ Self.isName($0.utf8) }) else { throw .unusableName }
    let certificate = unsafe Certificate(owning: Algorithms.require(X509_new(), "a certificate"))
    let subject = unsafe X509_get_subject_name(certificate.pointer)
    let issuerCertificate = issuer?.certificate ?? certificate
    let isFilled =
      unsafe X509_set_version(certificate.pointer, 2) == 1 && setSerial(certificate) && setValidity(certificate)
      && X509_NAME_add_entry_by_txt(subject, "CN", 0x1000 /* MBSTRING_UTF8 */, commonName, -1, -1, 0) == 1
      && X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuerCertificate.pointer)) == 1
      && X509_set_pubkey(certificate.pointer, key.pointer) == 1
    guard isFilled, addExtensions(to: certificate, issuer: issuerCertificate) else { throw .refused }
    guard unsafe X509_sign(certificate.pointer, (issuer?.key ?? key).pointer, Algorithms.sha256) > 0 else { throw .refused }
    return certificate
  }

  /// RFC 5280 §4.1.2.2: positive, at most 20 octets; random, so that no two authorities need to talk.
  private func setSerial(_ certificate: Certificate) -> Bool {
    var bytes = SystemRandom.bytes(16)
    bytes[0] = bytes[0] & 0x7f | 0x40
    let number = unsafe bytes.withBytes { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    defer { unsafe BN_free(number) }
    return unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.pointer)) != nil
  }

  private func setValidity(_ certificate: Certificate) -> Bool {
    let from = Int(validity.lowerBound.components.seconds)
    let until = Int(validity.upperBound.components.seconds)
    return unsafe X509_gmtime_adj(X509_getm_notBefore(certificate.pointer), from) != nil
      && X509_gmtime_adj(X509_getm_notAfter(certificate.pointer), until) != nil
  }

  private func addExtensions(to certificate: Certificate, issuer: Certificate) -> Bool {
    defer { ERR_clear_error() }
    var all = use.extensions + [(NID_subject_key_identifier, "hash")]
    if certificate !== issuer { all.append((NID_authority_key_identifier, "keyid:always")) }
    let alternatives = names.map { "DNS:" + $0 } + addresses.map { "IP:" + $0.text }
    if !alternatives.isEmpty { all.append((NID_subject_alt_name, alternatives.joined(separator: ","))) }
    return all.allSatisfy { Self.add($0.0, $0.1, to: certificate, issuer: issuer) }
  }

  private static func add(_ kind: Int32, _ value: String, to certificate: Certificate, issuer: Certificate) -> Bool {
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
    guard let made = unsafe X509V3_EXT_nconf_nid(nil, &context, kind, value) else { return false }
    defer { unsafe X509_EXTENSION_free(made) }
    return unsafe X509_add_ext(certificate.pointer, made, -1) == 1
  }

  /// Letters, digits and `-.*_`: anything else could change the meaning of OpenSSL's notation.
  static func isName(_ name: some Collection<UInt8>) -> Bool {
    (1...253).contains(name.count)
      && name.allSatisfy { byte in
        (97...122).contains(byte.lowercased) || (48...57).contains(byte) || "-.*_".utf8.contains(byte)
      }
  }
}

/// Why no certificate was made.
public enum CertificateError: Error, Hashable, Sendable {
  /// No DNS name.
  case unusableName
  /// The authority's certificate or key is no PEM, or they do not belong together.
  case unusableAuthority
  /// OpenSSL refuses the contents.
  case refused
}
