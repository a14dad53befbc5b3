public import Primitives

/// What goes to the peer (RFC 3261 §12.2.1.1).
extension Dialog {
  /// The next request in the dialog, without Via; its CSeq is one above the last.
  ///
  /// - Parameters:
  ///   - contact: our Contact value, for INVITE and UPDATE.
  ///   - write: appends further header fields: Content-Type, Supported, ….
  public mutating func request(
    _ method: Method, contact: Bytes? = nil, body: some Collection<UInt8> = Bytes(), write: (inout MessageBuilder) -> Void = { _ in }
  ) -> Request {
    localCSeq += 1
    return build(method, cseq: localCSeq, contact, body, write)
  }

  /// The ACK to a 2xx of our INVITE with this CSeq (§13.2.2.4).
  public func ack(
    cseq: UInt32, body: some Collection<UInt8> = Bytes(), write: (inout MessageBuilder) -> Void = { _ in }
  ) -> Request {
    build(.ack, cseq: cseq, nil, body, write)
  }

  /// The URI that RFC 3263 finds the next hop for: the first route, else the target.
  public var nextHop: Bytes { routeSet.first.flatMap(Self.uri) ?? target }

  private func build(
    _ method: Method, cseq: UInt32, _ contact: Bytes?, _ body: some Collection<UInt8>, _ write: (inout MessageBuilder) -> Void
  ) -> Request {
    let (uri, routes) = addressed
    return MessageBuilder.request(method, uri: uri, body: body) { builder in
      builder.append(.maxForwards, "70")
      for route in routes { builder.append(.route, route) }
      builder.append(.from, local)
      builder.append(.to, remote)
      builder.append(.callID, id.callID)
      builder.append(.cSeq, CSeq(number: cseq, method: method).bytes)
      if let contact { builder.append(.contact, contact) }
      write(&builder)
    }
  }

  /// Request-URI and routes. A strict router (a first route without `lr`) wants to find itself in the Request-URI and the target at
  /// the end of the routes.
  private var addressed: (uri: Bytes, routes: [Bytes]) {
    guard let first = routeSet.first.flatMap(Self.uri), let router = try? URI(first[...]), !router.isLooseRouter else {
      return (target, routeSet)
    }
    // Headers have no place in a Request-URI (§19.1.1).
    let uri = router.headers.isEmpty ? first : Array(first[..<(router.headers.startIndex - 1)])
    return (uri, routeSet.dropFirst() + [[UInt8(ascii: "<")] + target + [UInt8(ascii: ">")]])
  }

  private static func uri(of route: Bytes) -> Bytes? {
    (try? NameAddress(route[...])).map { Array($0.uri) }
  }
}
