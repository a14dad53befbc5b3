import COpenSSL
public import Primitives

/// What many TLS sessions share: our certificate or whom we trust, and the protocols we speak. TLS 1.2 and 1.3 only. Sessions keep
/// the context that they began with; to renew a certificate, make a new context for the sessions to come.
///
/// `@unchecked`: nothing in it changes after it was made, and OpenSSL takes its own locks for the session cache.
@safe public final class TLSContext: @unchecked Sendable {
  /// Whose signature under a certificate counts.
  public enum Trust: Hashable, Sendable {
    /// What the machine's administrator trusts (`SSL_CERT_FILE` and `SSL_CERT_DIR` change it).
    case system
    /// The certificates in this PEM text and no others.
    case pem(Bytes)
  }

  let pointer: OpaquePointer
  /// Most wanted first.
  private let protocols: [Bytes]

  /// - Parameters:
  ///   - certificatePEM: our certificate, then the rest of its chain.
  ///   - keyPEM: its key, without a password.
  ///   - alpn: what we speak, most wanted first. A client that offers only others is refused (RFC 7301 §3.2); with none here,
  ///     or none offered, the handshake goes on without.
  ///   - clientAuthority: in PEM; where it is given, only clients with a certificate that it has signed get through. Never the
  ///     system's trust: anybody gets a certificate from one of those.
  public static func server(
    certificatePEM: Bytes, keyPEM: Bytes, alpn: [String], clientAuthority: Bytes? = nil
  ) throws(TLSError) -> TLSContext {
    let context = try unsafe TLSContext(method: TLS_server_method(), protocols: alpn)
    try context.use(certificatePEM: certificatePEM, keyPEM: keyPEM)
    if let clientAuthority { try context.requireClientCertificates(signedBy: clientAuthority) }
    // The ciphers that RFC 9113 §9.2.2 leaves to HTTP/2.
    unsafe SSL_CTX_set_cipher_list(context.pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
    if !alpn.isEmpty { context.chooseProtocol() }
    return context
  }

  /// - Parameters:
  ///   - alpn: what we offer, most wanted first.
  ///   - identity: what we show to a server that asks who we are; its key without a password.
  public static func client(
    trust: Trust, alpn: [String], identity: (certificatePEM: Bytes, keyPEM: Bytes)? = nil
  ) throws(TLSError) -> TLSContext {
    let context = try unsafe TLSContext(method: TLS_client_method(), protocols: alpn)
    try context.trust(trust)
    if let identity { try context.use(certificatePEM: identity.certificatePEM, keyPEM: identity.keyPEM) }
    unsafe SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
    if !alpn.isEmpty { context.offerProtocols() }
    return context
  }

  private init(method: OpaquePointer, protocols: [String]) throws(TLSError) {
    self.protocols = protocols.map { Array($0.utf8) }
    unsafe pointer = Algorithms.require(SSL_CTX_new(method), "TLS")
    guard self.protocols.allSatisfy({ (1...255).contains($0.count) }) else { throw .unusableProtocolName }
    unsafe ringhold_min_version(pointer, TLS1_2_VERSION)
    unsafe ringhold_max_version(pointer, TLS1_3_VERSION)
    unsafe ringhold_safe_options(pointer)
    unsafe ringhold_lean_mode(pointer)
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  private func use(certificatePEM: Bytes, keyPEM: Bytes) throws(TLSError) {
    defer { ERR_clear_error() }
    guard let chain = PEM.certificates(certificatePEM), let leaf = chain.first else { throw .unusableCertificate }
    guard let key = PEM.privateKey(keyPEM) else { throw .unusableKey }
    guard unsafe SSL_CTX_use_certificate(pointer, leaf.pointer) == 1 else { throw .unusableCertificate }
    for certificate in chain.dropFirst() {
      guard unsafe ringhold_add_chain_certificate(pointer, certificate.pointer) == 1 else { throw .unusableCertificate }
    }
    guard unsafe SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1, unsafe SSL_CTX_check_private_key(pointer) == 1 else {
      throw .keyOfAnotherCertificate
    }
  }

  private func trust(_ trust: Trust) throws(TLSError) {
    defer { ERR_clear_error() }
    guard case .pem(let text) = trust else {
      guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else { throw .unusableTrust }
      return
    }
    guard let certificates = PEM.certificates(text) else { throw .unusableTrust }
    let store = unsafe SSL_CTX_get_cert_store(pointer)
    for certificate in certificates {
      guard unsafe X509_STORE_add_cert(store, certificate.pointer) == 1 else { throw .unusableTrust }
    }
  }

  private func requireClientCertificates(signedBy authority: Bytes) throws(TLSError) {
    try trust(.pem(authority))
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe ringhold_no_resumption(pointer)
  }

  private func offerProtocols() {
    let list = protocols.flatMap { [UInt8($0.count)] + $0 }
    // Unlike its neighbours this returns 0 when all is well.
    let result = unsafe list.withBytes { unsafe SSL_CTX_set_alpn_protos(pointer, $0.baseAddress, UInt32($0.count)) }
    precondition(result == 0, "OpenSSL has no memory for ALPN")
  }

  private func chooseProtocol() {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    // A session holds its context, so the context outlives every call of this.
    unsafe SSL_CTX_set_alpn_select_cb(
      pointer,
      { _, chosen, chosenCount, offers, count, me in
        guard let me = unsafe me, let offers = unsafe offers else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let context = unsafe Unmanaged<TLSContext>.fromOpaque(me).takeUnretainedValue()
        let list = unsafe UnsafeBufferPointer(start: offers, count: Int(count))
        guard let choice = unsafe context.choice(of: list) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        unsafe chosen?.pointee = unsafe offers + choice.lowerBound
        unsafe chosenCount?.pointee = UInt8(choice.count)
        return SSL_TLSEXT_ERR_OK
      }, me)
  }

  /// Where in the client's list our most wanted protocol stands (RFC 7301 §3.1: names with their length before).
  private func choice(of list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var offers: [Range<Int>] = []
    var start = 0
    while start < list.count {
      let name = unsafe start + 1..<start + 1 + Int(list[start])
      guard name.upperBound <= list.count else { return nil }
      offers.append(name)
      start = name.upperBound
    }
    return protocols.lazy.compactMap { wanted in offers.first { unsafe list[$0].elementsEqual(wanted) } }.first
  }
}
