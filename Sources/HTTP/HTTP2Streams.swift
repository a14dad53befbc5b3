import Primitives

/// What the frames mean: the streams of one connection, what the owner is to know, and what is to be sent because of it. No C in here.
final class HTTP2Streams {
  /// To be done once nghttp2 has returned.
  enum Chore: Equatable {
    case refuse(HTTP2StreamID, HTTPError)
    case reset(HTTP2StreamID, HTTP2ErrorCode)
    case end(HTTP2ErrorCode)
    case finishDraining
  }

  let role: HTTP2Session.Role
  let limits: HTTPLimits
  var now: Instant
  var all: [HTTP2StreamID: HTTP2Stream] = [:]
  var chores: [Chore] = []
  private(set) var hasPeerSettings = false
  /// Since when no stream has been open; a client's first SETTINGS count as one.
  private(set) var idleSince: Instant
  private var events: [HTTP2Session.Event] = []
  private var budget: FrameBudget

  init(role: HTTP2Session.Role, limits: HTTPLimits, now: Instant) {
    self.role = role
    self.limits = limits
    self.now = now
    idleSince = now
    budget = FrameBudget(limits, now: now)
  }

  func emit(_ event: HTTP2Session.Event) { events.append(event) }

  func takeEvents() -> [HTTP2Session.Event] {
    defer { events = [] }
    return events
  }

  func takeChores() -> [Chore] {
    defer { chores = [] }
    return chores
  }

  // MARK: Frames

  func headBegan(_ id: HTTP2StreamID) {
    switch role {
    case .server:
      if all[id] == nil { all[id] = HTTP2Stream(deadline: now + limits.headTime) }
    case .client:
      if all[id]?.phase == .head { all[id]?.head = HTTP2Head() }
    }
  }

  func field(_ id: HTTP2StreamID, _ name: String, _ value: Bytes) {
    // A stream past its head gets trailers, which nobody reads.
    if all[id]?.phase == .head { all[id]?.head.add(name, value, limits: limits) }
  }

  func headEnded(_ id: HTTP2StreamID) {
    guard let stream = all[id], stream.phase == .head else { return }
    switch role {
    case .server: requestHeadEnded(id, stream)
    case .client: responseHeadEnded(id, stream)
    }
  }

  func data(_ id: HTTP2StreamID, _ data: Slice) {
    guard let stream = all[id] else { return }
    if stream.phase == .ending { return discard(id, data.count) }
    guard stream.phase == .body else { return }
    if stream.body.count + data.count > limits.body { refuse(id, .bodyTooLarge) } else { all[id]?.body += data }
  }

  /// A refused request may go on for a while, because many clients read the response only after they have sent everything; then the
  /// rest of it is reset (RFC 9113 §8.1).
  private func discard(_ id: HTTP2StreamID, _ count: Int) {
    let before = all[id]?.discarded ?? 0
    all[id]?.discarded += count
    if before <= limits.discardedBytes, before + count > limits.discardedBytes { chores.append(.reset(id, .noError)) }
  }

  func remoteEnded(_ id: HTTP2StreamID) {
    guard let stream = all[id], stream.phase == .body else { return }
    switch role {
    case .server: deliverRequest(id, stream)
    case .client: deliverResponse(id, stream)
    }
  }

  /// A frame that moves no message forward.
  func idleFrame() {
    if !budget.spend(now: now) { chores.append(.end(.enhanceYourCalm)) }
  }

  func settingsReceived(streamsAllowed: Int) {
    if !hasPeerSettings { idleSince = now }
    hasPeerSettings = true
    emit(.streamsAllowed(streamsAllowed))
  }

  func closed(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard let stream = all.removeValue(forKey: id) else { return }
    if all.isEmpty { idleSince = now }
    switch role {
    case .server: serverStreamClosed(id, stream, code)
    case .client: emit(.streamEnded(id, code == .refusedStream ? .notProcessed : .reset(code)))
    }
  }

  private func serverStreamClosed(_ id: HTTP2StreamID, _ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
    if stream.isSent { return }
    idleFrame()
    if stream.phase == .responding { emit(.streamEnded(id, .reset(code))) }
  }

  // MARK: Messages

  private func requestHeadEnded(_ id: HTTP2StreamID, _ stream: HTTP2Stream) {
    do throws(HTTPError) {
      let request = try stream.head.request(scheme: "https", limits: limits)
      if stream.head.announcesTooMuch(limits) { throw .bodyTooLarge }
      all[id]?.isHead = request.method == "HEAD"
      all[id]?.phase = .body
      all[id]?.deadline = now + limits.bodyTime
    } catch {
      refuse(id, error)
    }
  }

  private func responseHeadEnded(_ id: HTTP2StreamID, _ stream: HTTP2Stream) {
    if let flaw = stream.head.flaw { return refuse(id, flaw) }
    guard let status = stream.head.status, status >= 200 else { return }
    if !stream.isHead, stream.head.announcesTooMuch(limits) { return refuse(id, .bodyTooLarge) }
    all[id]?.phase = .body
  }

  private func deliverRequest(_ id: HTTP2StreamID, _ stream: HTTP2Stream) {
    guard var request = try? stream.head.request(scheme: "https", limits: limits) else { return }
    request.body = stream.body
    all[id]?.phase = .responding
    all[id]?.body = []
    all[id]?.deadline = .distantFuture
    emit(.request(request, on: id))
  }

  private func deliverResponse(_ id: HTTP2StreamID, _ stream: HTTP2Stream) {
    all[id] = nil
    emit(.response(HTTPResponse(status: stream.head.status ?? 0, fields: stream.head.fields, body: stream.body), on: id))
  }

  /// The message goes no further: a server answers, a client gives up the stream.
  func refuse(_ id: HTTP2StreamID, _ error: HTTPError) {
    switch role {
    case .server:
      all[id]?.phase = .ending
      emit(.refused(error))
      chores.append(.refuse(id, error))
    case .client:
      all[id] = nil
      emit(.streamEnded(id, .refused(error)))
      chores.append(.reset(id, .cancel))
    }
  }
}
