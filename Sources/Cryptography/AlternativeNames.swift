import COpenSSL
import Primitives

/// The names of a certificate's holder (RFC 5280 §4.2.1.6). The common name is none of them (RFC 9525 §2).
enum AlternativeNames {
  /// Those that are plain names of hosts; what holds any other character is left out, so that none can be taken for another one.
  static func dns(of certificate: OpaquePointer) -> [String] {
    defer { ERR_clear_error() }
    guard let raw = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
    let names = OpaquePointer(raw)
    defer { unsafe GENERAL_NAMES_free(names) }
    return unsafe (0..<min(ringhold_name_count(names), most)).compactMap { index in
      unsafe ringhold_dns_name(names, index).flatMap { unsafe text($0) }
    }
  }

  private static let most: Int32 = 64

  private static func text(_ name: UnsafePointer<ASN1_IA5STRING>) -> String? {
    guard let start = unsafe ASN1_STRING_get0_data(name) else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(name)))
    guard unsafe CertificateTemplate.isName(bytes) else { return nil }
    return unsafe bytes.text
  }
}
