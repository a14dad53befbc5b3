import Primitives

extension Request {
  /// The request, once every value that an element of any kind needs has been read (RFC 3261 §8.1.1, §8.2.2.1; RFC 4475, RFC 5118). Which
  /// methods, extensions and bodies it understands is for the one who answers it.
  ///
  /// Throws the status to answer with: 416 for a Request-URI of an unknown scheme, 400 for the rest.
  @discardableResult
  public func validated() throws(SIPError) -> Request {
    do {
      try checkTransaction()
      try checkURIs()
      try checkDialog()
      return self
    } catch {
      throw error.about(self)
    }
  }

  private func checkTransaction() throws(SIPError) {
    _ = try (vias, callID, maxForwards)
    guard try cseq.method == method else { throw .bad(.methodMismatch) }
  }

  /// Header fields may hold URIs of any scheme, the Request-URI may not; and a Request-URI has no headers (§19.1.1).
  private func checkURIs() throws(SIPError) {
    _ = try (URI(from.uri), URI(to.uri))
    let target = try URI(uri)
    guard target.scheme != .other else { throw SIPError(status: 416, fault: .scheme) }
    guard target.headers.isEmpty, uri.last != UInt8(ascii: "?") else { throw .bad(.uri) }
  }

  /// What makes a dialog: an INVITE names exactly one place to answer to (§8.1.1.8), routes are readable.
  private func checkDialog() throws(SIPError) {
    let contacts = try contacts
    if method == .invite {
      guard !contacts.isEmpty else { throw .bad(.missing(.contact)) }
      guard contacts.count == 1 else { throw .bad(.repeated(.contact)) }
      _ = try URI(contacts[0].uri)
    }
    _ = try (recordRoutes, routes, message.optional(.contentType))
  }
}

extension Response {
  /// The response, once it is known to be one that a client transaction of ours could take. What throws is dropped: a second Via says
  /// that it is another's (RFC 3261 §8.1.3.3).
  @discardableResult
  public func validated() throws(SIPError) -> Response {
    guard try vias.count == 1 else { throw .bad(.repeated(.via)) }
    _ = try (callID, cseq, from, to)
    return self
  }
}
