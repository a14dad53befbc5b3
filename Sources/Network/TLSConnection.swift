internal import Cryptography
public import Primitives

/// TLS over one TCP connection. Exists for its users only after the handshake.
@LoopActor
public final class TLSConnection: ByteStream {
  public var local: SocketAddress { transport.local }
  public var remote: SocketAddress { transport.remote }
  public private(set) var alpn: String?
  /// The DNS names in the certificate that the peer has shown; a client shows one only where it was asked.
  public var peerNames: [String] { session.peerNames }
  /// In ciphertext.
  public var queuedBytes: Int { transport.queuedBytes }
  public var onBytes: (@LoopActor (Slice) -> Void)? { didSet { becameReadable() } }
  public var onEnd: (@LoopActor (StreamEnd) -> Void)? {
    get { notice.handler }
    set { notice.handler = newValue }
  }
  public var idleLimit: Duration? {
    get { transport.idleLimit }
    set { transport.idleLimit = newValue }
  }
  public var onPeerFinished: (@LoopActor () -> Void)? {
    didSet {
      transport.onPeerFinished = nil
      if onPeerFinished != nil { transport.onPeerFinished = { [weak self] in self?.transportFinished() } }
    }
  }
  public var isReading = true { didSet { updateReading() } }

  private let transport: TCPConnection
  private let session: TLSSession
  private let notice = EndNotice()
  /// What came before `onBytes` was set. Bounded: nothing is read after the handshake until it is.
  private var early = Bytes()
  private var handshake: (@LoopActor (Result<TLSConnection, NetworkError>) -> Void)?
  private var handshakeTimer: LoopTimer?
  private var hasPeerFinished = false
  private var why: StreamEnd?

  /// Makes the handshake over a connection that nobody else uses. `completion` is called once.
  static func shakeHands(
    over transport: TCPConnection, as role: TLSSession.Role, with context: TLSContext, limits: StreamLimits,
    completion: @escaping @LoopActor (Result<TLSConnection, NetworkError>) -> Void
  ) {
    let connection = TLSConnection(transport, TLSSession(context, role: role))
    connection.handshake = completion
    connection.start(limits.handshake)
  }

  private init(_ transport: TCPConnection, _ session: TLSSession) {
    self.transport = transport
    self.session = session
  }

  /// The transport's callbacks hold this object until the transport has ended.
  private func start(_ limit: Duration) {
    handshakeTimer = Loop.after(limit) { [weak self] in self?.fail(.timedOut) }
    transport.onEnd = { [self] in transportEnded($0) }
    transport.onBytes = { [self] in received($0) }
    flush()
  }

  private func received(_ ciphertext: Slice) {
    do throws(TLSError) {
      let events = try session.receive(ciphertext)
      flush()
      for event in events { handle(event) }
    } catch {
      // The alert that says why goes out before the end.
      flush()
      fail(.tls(error))
    }
  }

  private func handle(_ event: TLSSession.Event) {
    switch event {
    case .handshakeDone(let alpn):
      self.alpn = alpn
      handshakeEnded(.success(self))
      updateReading()
    case .plaintext(let bytes):
      if let onBytes { onBytes(bytes[...]) } else { early += bytes }
    case .closed:
      peerFinished()
    }
  }

  private func peerFinished() {
    guard why == nil, let tell = onPeerFinished else { return end(.closedByPeer) }
    hasPeerFinished = true
    tell()
  }

  /// After the closing alert it is no news; without one something may have been cut off.
  private func transportFinished() {
    guard !hasPeerFinished else { return }
    end(meaning(of: .closedByPeer))
  }

  private func flush() {
    guard session.pendingCount > 0 else { return }
    transport.write(session.pendingCiphertext())
  }

  private func becameReadable() {
    updateReading()
    guard let onBytes, !early.isEmpty else { return }
    let bytes = early
    early = []
    // Not from within the setter: its caller may not be ready yet.
    Loop.soon { onBytes(bytes[...]) }
  }

  private func updateReading() {
    transport.isReading = handshake != nil || (isReading && onBytes != nil)
  }

  public func write(_ bytes: Bytes) {
    guard why == nil else { return }
    do throws(TLSError) {
      try session.send(bytes)
      flush()
    } catch {
      fail(.tls(error))
    }
  }

  public func close() { end(.closedHere) }

  public func abort() {
    why = why ?? .closedHere
    transport.abort()
  }

  /// Says goodbye (close_notify), and lets what is queued go out.
  private func end(_ reason: StreamEnd) {
    guard why == nil else { return }
    why = reason
    session.close()
    flush()
    transport.close()
  }

  private func fail(_ error: NetworkError) {
    guard why == nil else { return }
    why = .failed(error)
    transport.close()
    handshakeEnded(.failure(error))
  }

  private func handshakeEnded(_ result: Result<TLSConnection, NetworkError>) {
    handshakeTimer?.cancel()
    let completion = handshake
    handshake = nil
    completion?(result)
  }

  private func transportEnded(_ reason: StreamEnd) {
    onBytes = nil
    onPeerFinished = nil
    let end = why ?? meaning(of: reason)
    handshakeEnded(.failure(end.error))
    notice.came(end)
  }

  /// An end of TCP without the closing alert may have cut something off (RFC 8446 §6.1).
  private func meaning(of reason: StreamEnd) -> StreamEnd {
    guard reason == .closedByPeer else { return reason }
    do throws(TLSError) { try session.transportEnded() } catch { return .failed(.tls(error)) }
    return reason
  }
}

extension StreamEnd {
  /// The end of a connection that was still to be made.
  fileprivate var error: NetworkError {
    switch self {
    case .failed(let error): error
    case .idle: .timedOut
    case .queueFull: .limitReached
    case .closedByPeer, .closedHere: .closed
    }
  }
}
