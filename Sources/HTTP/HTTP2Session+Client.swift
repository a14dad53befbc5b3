import Primitives

/// The client's half.
extension HTTP2Session {
  /// How many streams may be open at a time. Before the peer's SETTINGS only one: a peer that allows just one at first would refuse the
  /// others, and waiting costs a round trip at most.
  public var streamsAllowed: Int {
    guard streams.hasPeerSettings else { return 1 }
    return min(streams.limits.streams, handle.peerStreamLimit)
  }

  /// false once the peer takes no further stream.
  public var allowsRequests: Bool { handle.allowsRequests }

  /// Whether `send` would open a stream now.
  public var canSend: Bool {
    !isOver && openStreams < streamsAllowed && allowsRequests
  }

  /// The stream, or nil where there is no room or the request would not read as itself.
  public func send(_ request: HTTPRequest) -> HTTP2StreamID? {
    guard canSend, request.isSendable else { return nil }
    var fields: [(String, String)] = [
      (":method", request.method), (":scheme", request.scheme), (":authority", request.authority), (":path", request.path),
    ]
    fields += request.fields.lazy.filter { !HTTP1Writer.ours.contains($0.name) }.map { ($0.name, $0.value) }
    let hasBody = !request.body.isEmpty
    if hasBody { fields.append(("content-length", String(request.body.count))) }
    let id = handle.submitRequest(fields, hasBody: hasBody)
    guard id > 0 else { return nil }
    var stream = HTTP2Stream(deadline: .distantFuture)
    stream.isHead = request.method == "HEAD"
    stream.outgoing.append(request.body)
    stream.outgoing.end()
    streams.all[id] = stream
    return id
  }
}
