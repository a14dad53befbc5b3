public import Primitives

/// The server's half.
extension HTTP2Session {
  /// The whole response. Nothing happens where the stream is gone.
  public func respond(_ response: HTTPResponse, on id: HTTP2StreamID, now: Instant) {
    guard streams.all[id]?.phase == .responding else { return }
    streams.now = now
    submit(response, on: id)
  }

  /// The head of a response whose body comes in parts.
  public func sendHeaders(_ response: HTTPResponse, on id: HTTP2StreamID) {
    guard streams.all[id]?.phase == .responding else { return }
    submitHead(response, on: id)
  }

  /// false where the stream is gone, or was reset because its reader is too slow.
  public func sendData(_ data: Bytes, on id: HTTP2StreamID) -> Bool {
    guard let stream = streams.all[id], stream.phase == .responding else { return false }
    guard stream.outgoing.count + data.count <= streams.limits.unsentBytes else {
      cancel(id)
      return false
    }
    streams.all[id]?.outgoing.append(data)
    handle.resume(id)
    return true
  }

  public func end(_ id: HTTP2StreamID, now: Instant) {
    streams.all[id]?.outgoing.end()
    streams.all[id]?.deadline = now + streams.limits.sendTime
    handle.resume(id)
  }

  func submit(_ response: HTTPResponse, on id: HTTP2StreamID) {
    guard let stream = streams.all[id] else { return }
    var head = response
    let hasNoBody = HTTPResponse.hasNoBody(response.status)
    if hasNoBody { head.fields.remove("content-length") } else { head.fields.set("content-length", to: String(response.body.count)) }
    if !hasNoBody, !stream.isHead { streams.all[id]?.outgoing.append(response.body) }
    streams.all[id]?.outgoing.end()
    streams.all[id]?.deadline = streams.now + streams.limits.sendTime
    submitHead(head, on: id)
  }

  /// When `deadlineReached` wants to be called.
  public var deadline: Instant {
    guard role == .server else { return .distantFuture }
    return streams.all.values.map(\.deadline).min() ?? streams.idleSince + idleLimit
  }

  private var idleLimit: Duration { streams.hasPeerSettings ? streams.limits.idleTime : streams.limits.headTime }

  /// Ends what took too long: a request that does not become complete gets 408, a response that nobody takes is reset, a connection
  /// without streams ends.
  public func deadlineReached(now: Instant) -> [Event] {
    streams.now = now
    guard now >= deadline else { return [] }
    if streams.all.isEmpty { end(.noError) }
    for (id, stream) in streams.all.sorted(by: { $0.key < $1.key }) where stream.deadline <= now { expire(id, stream) }
    return streams.takeEvents()
  }

  private func expire(_ id: HTTP2StreamID, _ stream: HTTP2Stream) {
    switch stream.phase {
    case .head:
      // A head in pieces blocks the whole connection (RFC 9113 §4.3).
      streams.emit(.refused(.timedOut))
      streams.all[id] = nil
      end(.enhanceYourCalm)
    case .body: streams.refuse(id, .timedOut)
    case .responding, .ending:
      streams.emit(.streamEnded(id, .reset(.cancel)))
      cancel(id)
    }
  }

  /// Whether there is a body is known by what `outgoing` holds already, or may still get.
  private func submitHead(_ response: HTTPResponse, on id: HTTP2StreamID) {
    guard let stream = streams.all[id] else { return }
    var fields = [(":status", String(response.status))]
    for field in response.fields where field.name == "content-length" || !HTTP1Writer.ours.contains(field.name) {
      fields.append((field.name, field.value))
    }
    handle.submitResponse(id, fields, hasBody: !stream.outgoing.isDone)
  }
}
