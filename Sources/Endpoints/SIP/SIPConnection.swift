internal import Network
internal import Primitives
internal import SIP

/// One TCP or TLS connection that carries SIP: accepted, made, or on its way.
@LoopActor
final class SIPConnection {
  /// What the endpoint does with what happens here.
  struct Handlers {
    var message: @LoopActor (ParsedMessage) -> Void
    var malformed: @LoopActor (SIPError) -> Void
    var ended: @LoopActor () -> Void
    /// A message or its first byte did not come in time.
    var slow: @LoopActor () -> Void
    var noPong: @LoopActor () -> Void
  }

  private struct Waiting {
    let bytes: Bytes
    let failed: (@LoopActor () -> Void)?
  }

  let flow: Flow
  let handlers: Handlers
  private let settings: SIPSettings
  private var stream: (any ByteStream)?
  private var parser = StreamParser()
  private var waiting: [Waiting] = []
  private var waitingBytes = 0
  private var partialTimer: LoopTimer?
  private var pongTimer: LoopTimer?
  private var isEnded = false
  /// Whether a message came, or nobody has to say anything first.
  private var hasSpoken = false
  /// Pings say whether the peer is there; it may be silent then.
  var isKeptAlive = false { didSet { limitSilence() } }

  init(_ flow: Flow, _ settings: SIPSettings, _ handlers: Handlers) {
    self.flow = flow
    self.settings = settings
    self.handlers = handlers
  }

  /// The connection is there. What waited for it goes out.
  func opened(_ stream: any ByteStream, isAccepted: Bool) {
    guard !isEnded else { return stream.abort() }
    self.stream = stream
    hasSpoken = !isAccepted
    limitSilence()
    stream.onEnd = { [self] in streamEnded($0) }
    stream.onBytes = { [weak self] in self?.received($0) }
    let all = waiting
    waiting = []
    for item in all { stream.write(item.bytes) }
  }

  /// `failed` is called where the connection could not be made.
  func send(_ bytes: Bytes, failed: (@LoopActor () -> Void)? = nil) {
    if let stream { return stream.write(bytes) }
    guard !isEnded, waitingBytes + bytes.count <= settings.queuedWhileConnecting else {
      if let failed { Loop.soon(failed) }
      return
    }
    waitingBytes += bytes.count
    waiting.append(Waiting(bytes: bytes, failed: failed))
  }

  /// The connection could not be made.
  func failed() { end() }

  /// Sends what is queued, and ends.
  func close() {
    stream?.close()
    if stream == nil { end() }
  }

  private func limitSilence() {
    stream?.idleLimit = !hasSpoken ? settings.firstMessage : isKeptAlive ? nil : settings.idle
  }

  private func streamEnded(_ why: StreamEnd) {
    if why == .idle, !hasSpoken { handlers.slow() }
    end()
  }

  private func end() {
    guard !isEnded else { return }
    isEnded = true
    partialTimer?.cancel()
    pongTimer?.cancel()
    stream = nil
    let all = waiting
    waiting = []
    handlers.ended()
    for item in all { item.failed?() }
  }

  // MARK: Reading

  private func received(_ bytes: Slice) {
    let events = parser.receive(bytes)
    for event in events where !isEnded { handle(event) }
    guard !isEnded else { return }
    if !hasSpoken, !events.isEmpty {
      hasSpoken = true
      limitSilence()
    }
    watchPartial(hasProgressed: events.contains(where: \.isWholeMessage))
  }

  private func handle(_ event: StreamParser.Event) {
    switch event {
    case .message(let message): handlers.message(message)
    case .pong: pongCame()
    // Two pongs with no message between them look like a ping.
    case .ping where pongTimer != nil: pongCame()
    case .ping: stream?.write([13, 10])
    case .failure(let error, let isFatal):
      handlers.malformed(error)
      // Where the next message starts is unknown.
      if isFatal { close() }
    }
  }

  private func pongCame() {
    pongTimer?.cancel()
    pongTimer = nil
  }

  /// A message has so long to be complete, however many bytes of it keep coming.
  private func watchPartial(hasProgressed: Bool) {
    if hasProgressed || !parser.isPartial {
      partialTimer?.cancel()
      partialTimer = nil
    }
    guard parser.isPartial, partialTimer == nil else { return }
    partialTimer = Loop.after(settings.partialMessage) { [weak self] in
      self?.handlers.slow()
      self?.stream?.abort()
    }
  }

  // MARK: Keep-alive

  /// Sends a ping (RFC 5626 §4.4.1); no pong in time ends the connection where one is awaited.
  func ping(awaitsPong: Bool) {
    guard let stream else { return }
    stream.write([13, 10, 13, 10])
    guard awaitsPong, pongTimer == nil else { return }
    pongTimer = Loop.after(settings.pong) { [weak self] in
      self?.handlers.noPong()
      self?.stream?.abort()
    }
  }
}

extension StreamParser.Event {
  fileprivate var isWholeMessage: Bool {
    switch self {
    case .message, .failure: true
    case .ping, .pong: false
    }
  }
}
