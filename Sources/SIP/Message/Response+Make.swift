public import Primitives

extension Response {
  /// The response to a request (RFC 3261 §8.2.6.2): all Via in order, From, To, Call-ID and CSeq as they came, Timestamp in a 100,
  /// Record-Route in 1xx above 100 and 2xx to what makes a dialog (§12.1.1).
  ///
  /// - Parameters:
  ///   - reason: the table's phrase unless given.
  ///   - toTag: added to To where that has none; none is added to a 100.
  ///   - write: appends the header fields beyond those; Content-Length comes by itself.
  public static func make(
    to request: Request, status: Int, reason: StaticString? = nil, toTag: Bytes?, body: some Collection<UInt8>,
    write: (inout MessageBuilder) -> Void
  ) -> Response {
    let source = request.message
    return MessageBuilder.response(status, reason ?? StatusCode.phrase(status), body: body) { builder in
      builder.copy(.via, from: source)
      if Self.carriesRecordRoute(status, request.method) { builder.copy(.recordRoute, from: source) }
      // A malformed request may repeat these; an answer holds each once.
      if let from = source.value(.from) { builder.append(.from, from) }
      if let to = source.value(.to) { builder.append(.to) { $0.append(to: to, tag: status > 100 ? toTag : nil) } }
      if let id = source.value(.callID) { builder.append(.callID, id) }
      if let cseq = source.value(.cSeq) { builder.append(.cSeq, cseq) }
      if status == 100, let timestamp = source.value(.timestamp) { builder.append(.timestamp, timestamp) }
      write(&builder)
    }
  }

  /// Without body and further fields.
  public static func make(to request: Request, status: Int, reason: StaticString? = nil, toTag: Bytes?) -> Response {
    make(to: request, status: status, reason: reason, toTag: toTag, body: Bytes()) { _ in }
  }

  /// With further fields and no body.
  public static func make(
    to request: Request, status: Int, reason: StaticString? = nil, toTag: Bytes?, write: (inout MessageBuilder) -> Void
  ) -> Response {
    make(to: request, status: status, reason: reason, toTag: toTag, body: Bytes(), write: write)
  }

  private static func carriesRecordRoute(_ status: Int, _ method: Method) -> Bool {
    (101..<300).contains(status) && (method == .invite || method == .subscribe || method == .refer || method == .notify)
  }
}

extension Bytes {
  fileprivate mutating func append(to value: Slice, tag: Bytes?) {
    append(contentsOf: value)
    guard let tag, (try? NameAddress(value))?.tag == nil else { return }
    append(";tag=")
    append(contentsOf: tag)
  }
}
