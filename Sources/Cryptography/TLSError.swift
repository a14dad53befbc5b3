import COpenSSL

/// What went wrong, without anything that names a person or a host.
public enum TLSError: Error, Hashable, Sendable {
  /// Our certificate, key or trust bundle is no PEM, is broken, or the two do not belong together.
  case unusableCertificate, unusableKey, keyOfAnotherCertificate, unusableTrust
  /// An ALPN name is empty or longer than 255 bytes (RFC 7301 §3.1).
  case unusableProtocolName
  /// The peer's certificate does not hold.
  case certificate(CertificateProblem)
  /// The peer speaks no protocol of ours (ALPN), no TLS version, no cipher, or no TLS at all.
  case noCommonProtocol, noCommonVersion, noCommonCipher, notTLS
  /// The peer ended it with an alert (RFC 8446 §6.2).
  case alert(UInt8)
  /// The peer broke a rule; OpenSSL's reason number.
  case violation(Int32)
  /// The transport ended without a closing alert: what came may not be all (RFC 8446 §6.1).
  case truncated
  /// More waits to be sent than may wait.
  case bufferFull
  /// Sending after the end.
  case closed

  public enum CertificateProblem: Hashable, Sendable {
    case unknownAuthority, expired, notYetValid, revoked, wrongName
    /// OpenSSL's X509_V_ERR number.
    case other(Int32)
  }
}

extension TLSError {
  /// What the last call on this session left in the thread's error queue.
  static func last(_ ssl: OpaquePointer) -> TLSError {
    defer { ERR_clear_error() }
    let reason = ERR_GET_REASON(ERR_peek_error())
    switch reason {
    case SSL_R_CERTIFICATE_VERIFY_FAILED: return unsafe .certificate(CertificateProblem(code: Int32(SSL_get_verify_result(ssl))))
    case SSL_R_NO_APPLICATION_PROTOCOL, alertReason(SSL_AD_NO_APPLICATION_PROTOCOL): return .noCommonProtocol
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, alertReason(SSL_AD_PROTOCOL_VERSION): return .noCommonVersion
    case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM: return .noCommonCipher
    case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: return .notTLS
    case alertReason(0)...alertReason(255): return .alert(UInt8(reason - alertReason(0)))
    default: return .violation(reason)
    }
  }

  /// OpenSSL numbers the alerts it received from here on.
  private static func alertReason(_ alert: Int32) -> Int32 { SSL_AD_REASON_OFFSET + alert }
}

extension TLSError.CertificateProblem {
  init(code: Int32) {
    switch code {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE:
      self = .unknownAuthority
    case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
    case X509_V_ERR_CERT_REVOKED: self = .revoked
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongName
    default: self = .other(code)
    }
  }
}
