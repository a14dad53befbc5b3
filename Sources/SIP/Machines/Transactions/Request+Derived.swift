import Primitives

extension Request {
  /// The ACK to a final response other than 2xx (RFC 3261 §17.1.1.3): same Request-URI, top Via, From, Call-ID, Route; To from the
  /// response.
  func acknowledging(_ response: Response) -> Request { derived(.ack, to: response.message.value(.to)) }

  /// The CANCEL of this request (RFC 3261 §9.1).
  func cancelling() -> Request { derived(.cancel, to: message.value(.to)) }

  private func derived(_ method: Method, to: Slice?) -> Request {
    MessageBuilder.request(method, uri: uri, body: Bytes()) { builder in
      if let via = message.values(.via).first { builder.append(.via, via) }
      builder.append(.maxForwards, "70")
      builder.copy(.route, from: message)
      builder.copy(.from, from: message)
      if let to { builder.append(.to, to) }
      builder.copy(.callID, from: message)
      if let number = try? cseq.number { builder.append(.cSeq, CSeq(number: number, method: method).bytes) }
    }
  }
}
