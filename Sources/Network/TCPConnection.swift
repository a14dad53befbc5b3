internal import CLibUV
public import Primitives

/// One TCP connection, accepted or made.
@LoopActor
public final class TCPConnection: ByteStream {
  public private(set) var local: SocketAddress
  public private(set) var remote: SocketAddress
  public var alpn: String? { nil }
  public private(set) var queuedBytes = 0
  public var onBytes: (@LoopActor (Slice) -> Void)? { didSet { updateReading() } }
  public var onEnd: (@LoopActor (StreamEnd) -> Void)? {
    get { notice.handler }
    set { notice.handler = newValue }
  }
  public var idleLimit: Duration? { didSet { watch.limit = idleLimit } }
  public var onPeerFinished: (@LoopActor () -> Void)?
  public var isReading = true { didSet { updateReading() } }
  /// For the listener's count.
  var onGone: (@LoopActor () -> Void)?

  private enum State {
    case connecting, open, closing, ended
  }

  private var state = State.connecting
  private var handle: UVHandle?
  private let limits: StreamLimits
  private let notice = EndNotice()
  private var closeTimer: LoopTimer?
  private var isPolling = false
  private var hasPeerFinished = false
  private var hasFinished = false
  private lazy var watch = IdleWatch { [weak self] in self?.end(.idle) }

  private init(_ address: SocketAddress, _ limits: StreamLimits) throws(NetworkError) {
    (local, remote) = (address, address)
    self.limits = limits
    handle = unsafe try UVHandle(owner: self) { unsafe uv_tcp_init($0, $1) }
  }

  /// Takes the next connection that waits at the listener.
  convenience init(acceptedBy listener: UVHandle, at address: SocketAddress, _ limits: StreamLimits) throws(NetworkError) {
    try self.init(address, limits)
    guard let handle else { throw .closed }
    try handle.check(unsafe uv_accept(listener.stream, handle.stream))
    opened()
  }

  /// Starts to connect; `connected` is called once.
  convenience init(
    to address: SocketAddress, from source: IPAddress?, _ limits: StreamLimits,
    connected: @escaping @LoopActor (Result<Void, NetworkError>) -> Void
  ) throws(NetworkError) {
    try self.init(address, limits)
    guard let handle else { throw .closed }
    if let source {
      try handle.check(
        unsafe SocketAddress(ip: source, port: 0).withSystemAddress { unsafe uv_tcp_bind(handle.tcp, $0, 0) })
    }
    try handle.check(startConnecting(handle, to: address, connected))
  }

  private func startConnecting(
    _ handle: UVHandle, to address: SocketAddress, _ connected: @escaping @LoopActor (Result<Void, NetworkError>) -> Void
  ) -> Int32 {
    let request = unsafe OutgoingRequest(size: MemoryLayout<uv_connect_t>.size) { [weak self] status in
      guard let self, status == 0, state == .connecting else {
        self?.abort()
        return connected(.failure(status == 0 ? .closed : NetworkError(uv: status)))
      }
      opened()
      connected(.success(()))
    }
    let status = unsafe address.withSystemAddress {
      unsafe uv_tcp_connect(request.pointer(), handle.tcp, $0) { unsafe OutgoingRequest.finish($0, $1) }
    }
    if status < 0 { request.discard() }
    return status
  }

  private func opened() {
    guard let handle else { return }
    state = .open
    local = unsafe SocketAddress(reading: { unsafe uv_tcp_getsockname(handle.tcp, $0, $1) }) ?? local
    remote = unsafe SocketAddress(reading: { unsafe uv_tcp_getpeername(handle.tcp, $0, $1) }) ?? remote
    unsafe uv_tcp_nodelay(handle.tcp, 1)
    unsafe uv_tcp_keepalive(handle.tcp, 1, 60)
    updateReading()
  }

  /// For tests that do what this class does not.
  var fileDescriptor: Int32 { handle?.fileDescriptor ?? -1 }

  // MARK: Reading

  private func updateReading() {
    guard let handle, handle.isOpen else { return }
    let wanted: Bool =
      switch state {
      case .open: onBytes != nil && isReading && !hasPeerFinished
      case .closing: !hasPeerFinished
      case .connecting, .ended: false
      }
    guard wanted != isPolling else { return }
    isPolling = wanted
    guard wanted else {
      unsafe uv_read_stop(handle.stream)
      return
    }
    let status = unsafe startReading(handle.stream)
    if status < 0 { end(.failed(NetworkError(uv: status))) }
  }

  private func startReading(_ stream: UnsafeMutablePointer<uv_stream_t>) -> Int32 {
    unsafe uv_read_start(
      stream,
      { _, _, buffer in unsafe lend(buffer) },
      { stream, count, buffer in
        let bytes = unsafe copy(count, of: buffer)
        unsafe enterLoop(stream, as: TCPConnection.self) { $0.received(count, bytes) }
      })
  }

  private func received(_ count: Int, _ bytes: Bytes) {
    if count == Int(UV_EOF.rawValue) {
      peerFinished()
    } else if count < 0 {
      end(.failed(NetworkError(uv: Int32(count))))
    } else if count > 0, state == .open {
      watch.touch()
      onBytes?(bytes[...])
    }
  }

  private func peerFinished() {
    hasPeerFinished = true
    updateReading()
    guard state == .open else { return endWhenBothFinished() }
    guard let tell = onPeerFinished else { return end(.closedByPeer) }
    onPeerFinished = nil
    watch.limit = nil
    closeTimer = Loop.after(limits.halfOpen) { [weak self] in self?.end(.closedByPeer) }
    tell()
  }

  // MARK: Writing

  public func write(_ bytes: Bytes) {
    guard state == .open, let handle, !bytes.isEmpty else { return }
    let sent = queuedBytes == 0 ? tryWrite(handle, bytes) : 0
    guard sent >= 0 else { return end(.failed(NetworkError(uv: sent))) }
    let rest = bytes[Int(sent)...]
    guard !rest.isEmpty else { return }
    guard queuedBytes + rest.count <= limits.queuedBytes else { return end(.queueFull) }
    queue(handle, rest)
  }

  /// How many bytes the system took, or an error other than "not now".
  private func tryWrite(_ handle: UVHandle, _ bytes: Bytes) -> Int32 {
    let status = unsafe bytes.withUnsafeBufferPointer { content in
      var part = unsafe buffer(over: content)
      return unsafe uv_try_write(handle.stream, &part, 1)
    }
    return status == UV_EAGAIN.rawValue ? 0 : status
  }

  private func queue(_ handle: UVHandle, _ bytes: Slice) {
    let count = bytes.count
    let request = unsafe OutgoingRequest(bytes, size: MemoryLayout<uv_write_t>.size) { [weak self] status in
      self?.queuedBytes -= count
      if status < 0 { self?.end(.failed(NetworkError(uv: status))) }
    }
    queuedBytes += count
    let status = unsafe uv_write(request.pointer(), handle.stream, request.part, 1) { unsafe OutgoingRequest.finish($0, $1) }
    guard status < 0 else { return }
    queuedBytes -= count
    request.discard()
    end(.failed(NetworkError(uv: status)))
  }

  // MARK: The end

  public func close() {
    guard state == .open, let handle else { return abort() }
    state = .closing
    watch.limit = nil
    closeTimer?.cancel()
    closeTimer = Loop.after(limits.closing) { [weak self] in self?.end(.closedHere) }
    // What still comes is read and thrown away: closing a socket with unread bytes resets it, and the peer may lose our last words.
    updateReading()
    let request = unsafe OutgoingRequest(size: MemoryLayout<uv_shutdown_t>.size) { [weak self] status in
      self?.hasFinished = true
      if status < 0 { self?.end(.closedHere) } else { self?.endWhenBothFinished() }
    }
    let status = unsafe uv_shutdown(request.pointer(), handle.stream) { unsafe OutgoingRequest.finish($0, $1) }
    guard status < 0 else { return }
    request.discard()
    end(.closedHere)
  }

  private func endWhenBothFinished() {
    if hasFinished, hasPeerFinished { end(.closedHere) }
  }

  public func abort() { end(.closedHere) }

  /// The first reason counts. The handle's close callback tells it, outside of whatever call found it.
  private func end(_ why: StreamEnd) {
    guard state != .ended else { return }
    state = .ended
    watch.limit = nil
    closeTimer?.cancel()
    handle?.close { [self] in gone(why) }
  }

  private func gone(_ why: StreamEnd) {
    (onBytes, onPeerFinished) = (nil, nil)
    onGone?()
    onGone = nil
    notice.came(why)
  }
}
