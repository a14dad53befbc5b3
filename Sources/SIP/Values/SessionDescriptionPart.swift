public import Primitives

/// The SDP in a body (RFC 3261 §7.4, RFC 5621): the body itself or one part of it, byte for byte.
enum SessionDescriptionPart {
  /// Multiparts within multiparts.
  private static let deepest = 4

  /// nil where there is none: no body, an empty one of whatever type, or parts that may be ignored.
  ///
  /// Throws 415 for a type that is not understood and not optional, 400 for a multipart that is none.
  static func find(in message: Message) throws(SIPError) -> Slice? {
    guard !message.body.isEmpty else { return nil }
    if let encoding = message.value(.contentEncoding), !encoding.equalsIgnoringCase("identity") { throw unsupported }
    let handling = Handling(message.value(.contentDisposition))
    guard let type = message.contentType else { throw unsupported }
    if type.isSDP { return message.body }
    guard type.type.equalsIgnoringCase("multipart") else {
      if handling == .optional { return nil }
      throw unsupported
    }
    return try find(in: message.body, of: type, depth: 1)
  }

  private static let unsupported = SIPError(status: 415, fault: .body)

  private static func find(in body: Slice, of type: MediaType, depth: Int) throws(SIPError) -> Slice? {
    guard depth <= deepest, let boundary = type.parameters["boundary"], !boundary.isEmpty else { throw .bad(.body) }
    var found: Slice?
    for part in Multipart.parts(of: body, boundary: boundary.withoutQuotedPairs) {
      if part.type?.isSDP == true {
        found = found ?? part.content
      } else if let inner = part.type, inner.type.equalsIgnoringCase("multipart") {
        let nested = try find(in: part.content, of: inner, depth: depth + 1)
        found = found ?? nested
      } else if part.handling == .required {
        throw unsupported
      }
    }
    return found
  }
}

/// The `handling` parameter of a Content-Disposition (RFC 3261 §20.11).
enum Handling {
  case required, optional, unsaid

  init(_ disposition: Slice?) {
    guard let disposition, let semicolon = disposition.firstIndex(of: UInt8(ascii: ";")),
      let parameters = try? Parameters(header: disposition[semicolon...]), let handling = parameters["handling"]
    else {
      self = .unsaid
      return
    }
    self = handling.equalsIgnoringCase("required") ? .required : handling.equalsIgnoringCase("optional") ? .optional : .unsaid
  }
}

extension MessageFields {
  /// The SDP of the body, byte for byte; nil for none, also where an empty body has a Content-Type.
  ///
  /// Throws 415 where the body holds something that must be understood and is not.
  public var sessionDescription: Slice? {
    get throws(SIPError) { try SessionDescriptionPart.find(in: message) }
  }

  /// Whether a response may carry SDP (RFC 3261 §20.1): no Accept, or one that covers it.
  public var acceptsSDP: Bool {
    guard message.has(.accept) else { return true }
    return message.presentValues(.accept).compactMap(MediaType.init).contains { range in
      range.isSDP || range.is("application", "*") || range.is("*", "*")
    }
  }
}
