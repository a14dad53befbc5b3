import COpenSSL
public import Primitives

/// Whom a client wants to reach: the certificate must name at least one of the accepted (RFC 9525; RFC 5922 for SIP). What was
/// only learned from DNS must not be in here, the user or the configuration has to have said it.
public struct ServerIdentity: Hashable, Sendable {
  /// Sent in the handshake (SNI, RFC 6066 §3); an address is never sent.
  public var serverName: String?
  /// DNS names; a certificate's wildcard stands for one whole label.
  public var acceptedNames: [String]
  /// An address that the user typed himself.
  public var acceptedAddress: IPAddress?

  public init(serverName: String?, acceptedNames: [String], acceptedAddress: IPAddress? = nil) {
    self.serverName = serverName
    self.acceptedNames = acceptedNames
    self.acceptedAddress = acceptedAddress
  }

  /// The host as somebody typed it, a name or an address.
  public init(host: String) {
    if let address = IPAddress(host) {
      self.init(serverName: nil, acceptedNames: [], acceptedAddress: address)
    } else {
      self.init(serverName: host, acceptedNames: [host])
    }
  }

  /// Accepting nothing fits nothing.
  func fits(certificate: OpaquePointer) -> Bool {
    unsafe acceptedNames.contains { unsafe Self.names(certificate, $0) } || hasAcceptedAddress(certificate)
  }

  private func hasAcceptedAddress(_ certificate: OpaquePointer) -> Bool {
    guard let bytes = acceptedAddress?.bytes else { return false }
    return unsafe bytes.withBytes { unsafe X509_check_ip(certificate, $0.baseAddress, $0.count, 0) == 1 }
  }

  /// Only subject alternative names count, never the common name (RFC 9525 §2). The empty name would match anything.
  private static func names(_ certificate: OpaquePointer, _ name: String) -> Bool {
    guard !name.isEmpty, !name.utf8.contains(0), IPAddress(name) == nil else { return false }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
    return unsafe X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
  }
}
