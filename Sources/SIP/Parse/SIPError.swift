/// Why a message, or a value in it, cannot be used: the status to answer a request with and, where one can be answered, the request.
/// An error without `request` is for silence: a response, an ACK, or a request too broken to say where its answer goes.
public struct SIPError: Error, Sendable, Hashable {
  /// What is wrong. Names places, never contents: it may be logged.
  public enum Fault: Sendable, Hashable {
    case startLine, version, uri, scheme, framing, fieldName
    case missing(HeaderName), malformed(HeaderName), repeated(HeaderName)
    case methodMismatch, contentLength, tooLarge, tooManyFields, body
    /// Only the status is known.
    case refused
  }

  /// 400 to 699.
  public let status: Int
  public let fault: Fault
  /// The request as far as it could be read: Via, From, To, Call-ID and CSeq are there, so `Response.make(to:)` can answer it.
  public let request: Request?

  public init(status: Int, fault: Fault = .refused, request: Request? = nil) {
    self.status = status
    self.fault = fault
    self.request = request
  }

  /// 400 for this fault.
  static func bad(_ fault: Fault) -> SIPError { SIPError(status: 400, fault: fault) }

  /// The same error, about this request; it stays unanswerable where the request cannot be answered (RFC 3261 §8.2.6.2, §17.1.1.3).
  func about(_ request: Request) -> SIPError {
    SIPError(status: status, fault: fault, request: request.isAnswerable ? request : nil)
  }
}

extension Request {
  /// Whether a response to this request could be built and would be understood. An ACK is never answered.
  var isAnswerable: Bool {
    method != .ack && [HeaderName.via, .from, .to, .callID, .cSeq].allSatisfy { message.has($0) }
  }
}
