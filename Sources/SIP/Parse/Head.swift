import Primitives

/// All of a message before its body, with what is wrong in it.
struct Head {
  let bodyStart: Int
  /// Content-Length; nil where it is missing, repeated or no number.
  let bodyLength: Int?
  /// The first thing that is wrong.
  let fault: SIPError?
  /// Whether the end of the message can be trusted: on a stream what follows is then a message again.
  let isFramed: Bool
  private let start: StartLine.Kind
  private let fields: [Message.Field]

  /// Reads from index 0 to the empty line, at most to `limit`.
  init(_ raw: borrowing Bytes, limit: Int) {
    guard let line = Line(raw, from: 0, to: limit) else {
      (bodyStart, bodyLength, fault, isFramed, start, fields) = (limit, nil, .bad(.startLine), false, .unreadable, [])
      return
    }
    let startLine = StartLine((copy raw)[line.content])
    let scan = FieldScanner(raw, from: line.next, to: limit)
    let length = Self.contentLength(raw, scan.fields)
    start = startLine.kind
    fields = scan.fields
    bodyStart = scan.bodyStart
    bodyLength = length.value
    fault = startLine.fault ?? (line.isClean ? nil : .bad(.startLine)) ?? scan.fault ?? length.fault
    isFramed = line.isClean && scan.fault == nil && length.value != nil
  }

  private static func contentLength(_ raw: borrowing Bytes, _ fields: [Message.Field]) -> (value: Int?, fault: SIPError?) {
    let found = fields.filter { $0.name == .contentLength }
    guard let field = found.first else { return (nil, nil) }
    guard found.count == 1 else { return (nil, .bad(.repeated(.contentLength))) }
    guard let length = (copy raw)[field.valueRange].decimal(as: Int.self) else { return (nil, .bad(.contentLength)) }
    return (length, nil)
  }

  /// The message whose head this is. Throws `fault`, with the request that it is about.
  func message(_ raw: consuming Bytes, _ fault: SIPError?) throws(SIPError) -> ParsedMessage {
    let message = Message(raw: raw, fields: fields, bodyStart: min(bodyStart, raw.count))
    switch start {
    case .request(let method, let uri):
      let request = Request(message: message, method: method, uriRange: uri)
      if let fault { throw fault.about(request) }
      return .request(request)
    case .response(let status, let reason):
      if let fault { throw fault }
      return .response(Response(message: message, status: status, reasonRange: reason))
    case .unreadable: throw fault ?? .bad(.startLine)
    }
  }
}
