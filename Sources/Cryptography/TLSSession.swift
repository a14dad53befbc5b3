import COpenSSL
public import Primitives

/// One end of a TLS connection, without a socket: ciphertext goes in and comes out as bytes. Belongs to one connection and is used
/// from one isolation at a time.
///
/// After every `receive`, `send`, `close` and after `init`, also after one that threw, what `pendingCiphertext` gives is to be
/// written to the transport.
@safe public final class TLSSession {
  public enum Role: Hashable, Sendable {
    case server
    case client(ServerIdentity)
  }

  public enum Event: Hashable, Sendable {
    /// The peer is who it should be; from now on there is plaintext.
    case handshakeDone(alpn: String?)
    /// Never empty.
    case plaintext(Bytes)
    /// The peer will send no more. Sending to it still works.
    case closed
  }

  private enum Phase: Equatable {
    case handshaking
    case open
    case failed(TLSError)
  }

  private let context: TLSContext
  private let identity: ServerIdentity?
  private let bufferLimit: Int
  private let ssl: OpaquePointer
  /// Both owned by `ssl`.
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private var phase = Phase.handshaking
  private var peerHasClosed = false
  private var hasClosed = false
  /// Plaintext given before the handshake was done.
  private var early = Bytes()

  /// A client's first flight is pending at once.
  /// - Parameter bufferLimit: how many bytes may wait to be taken by `pendingCiphertext`.
  public init(_ context: TLSContext, role: Role, bufferLimit: Int = 2 << 20) {
    self.context = context
    self.bufferLimit = bufferLimit
    unsafe ssl = Algorithms.require(SSL_new(context.pointer), "a TLS session")
    unsafe incoming = MemoryBIO.make()
    unsafe outgoing = MemoryBIO.make()
    unsafe SSL_set_bio(ssl, incoming, outgoing)
    switch role {
    case .server:
      identity = nil
      unsafe SSL_set_accept_state(ssl)
    case .client(let wanted):
      identity = wanted
      if let name = wanted.serverName, IPAddress(name) == nil { unsafe ringhold_server_name(ssl, name) }
      unsafe SSL_set_connect_state(ssl)
      // The first flight: waits for an answer, cannot fail otherwise.
      unsafe SSL_do_handshake(ssl)
    }
  }

  deinit { unsafe SSL_free(ssl) }

  /// What the peer sent, in pieces of any size, turned into what it means. Once it has thrown, it throws the same again.
  public func receive(_ ciphertext: some Collection<UInt8>) throws(TLSError) -> [Event] {
    if case .failed(let error) = phase { throw error }
    guard !peerHasClosed else { return [] }
    unsafe MemoryBIO.append(ciphertext, to: incoming)
    var events: [Event] = []
    if phase == .handshaking {
      guard try shakeHands() else { return [] }
      events.append(.handshakeDone(alpn: alpn))
    }
    let plaintext = try read()
    if !plaintext.isEmpty { events.append(.plaintext(plaintext)) }
    if peerHasClosed { events.append(.closed) }
    return events
  }

  /// Plaintext for the peer; given during the handshake it waits for its end.
  public func send(_ plaintext: some Collection<UInt8>) throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    guard !hasClosed else { throw .closed }
    guard early.count + pendingCount + plaintext.count <= bufferLimit else { throw .bufferFull }
    if phase == .handshaking {
      early.append(contentsOf: plaintext)
    } else {
      try write(plaintext)
    }
  }

  /// How many bytes wait for the transport.
  public var pendingCount: Int { unsafe MemoryBIO.count(outgoing) }

  /// Takes what waits for the transport.
  public func pendingCiphertext() -> Bytes { unsafe MemoryBIO.drain(outgoing) }

  /// Tells the peer that nothing more comes (close_notify), after what was given to `send` before.
  public func close() {
    guard !hasClosed else { return }
    hasClosed = true
    if phase == .open { sayClosed() }
  }

  /// The transport has ended. Throws `truncated` unless the peer said before that it has sent everything.
  public func transportEnded() throws(TLSError) {
    if case .failed(let error) = phase { throw error }
    guard peerHasClosed else { throw fail(.truncated) }
  }

  /// What both chose (RFC 7301), nil before the handshake is done or without a choice.
  public var alpn: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    return unsafe count == 0 ? nil : UnsafeBufferPointer(start: name, count: Int(count)).text
  }

  /// The DNS names in the certificate of the peer, who has proven that it is his; empty before the handshake is done, and where he
  /// showed none.
  public var peerNames: [String] {
    guard phase == .open, let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return [] }
    return unsafe AlternativeNames.dns(of: certificate)
  }

  /// False where more of the peer's bytes are needed.
  private func shakeHands() throws(TLSError) -> Bool {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(ssl)
    guard result == 1 else {
      guard unsafe SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw fail(unsafe .last(ssl)) }
      return false
    }
    try checkIdentity()
    phase = .open
    let waiting = early
    early = []
    try write(waiting)
    if hasClosed { sayClosed() }
    return true
  }

  private func sayClosed() {
    ERR_clear_error()
    unsafe SSL_shutdown(ssl)
    ERR_clear_error()
  }

  /// OpenSSL has proven the chain; this proves that it is the right server's, before any plaintext passes either way.
  private func checkIdentity() throws(TLSError) {
    guard let identity else { return }
    guard unsafe SSL_get_verify_result(ssl) == Int(X509_V_OK), let certificate = unsafe SSL_get0_peer_certificate(ssl) else {
      throw fail(.certificate(.unknownAuthority))
    }
    guard unsafe identity.fits(certificate: certificate) else { throw fail(.certificate(.wrongName)) }
  }

  /// All the plaintext that is complete.
  private func read() throws(TLSError) -> Bytes {
    var plaintext = Bytes()
    let result = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.recordSize) { record in
      while true {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_read_ex(ssl, record.baseAddress, record.count, &count)
        guard result == 1 else { return result }
        unsafe plaintext.append(contentsOf: record[..<count])
      }
    }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: break
    case SSL_ERROR_ZERO_RETURN: peerHasClosed = true
    default:
      let error = fail(unsafe .last(ssl))
      // What came before the error was proven and counts; the error is then thrown by the next call.
      if plaintext.isEmpty { throw error }
    }
    return plaintext
  }

  private func write(_ plaintext: some Collection<UInt8>) throws(TLSError) {
    guard !plaintext.isEmpty else { return }
    ERR_clear_error()
    let result = unsafe plaintext.withBytes { plaintext in
      var written = 0
      return unsafe SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &written)
    }
    // Memory takes everything, so a write never has to wait.
    guard result == 1 else { throw fail(unsafe .last(ssl)) }
  }

  private func fail(_ error: TLSError) -> TLSError {
    phase = .failed(error)
    return error
  }

  /// RFC 8446 §5.1: the most plaintext that one record holds.
  private static let recordSize = 1 << 14
}
