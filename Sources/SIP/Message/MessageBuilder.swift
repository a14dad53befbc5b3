public import Primitives

/// Writes one message, field by field, and knows at the end where each part lies: what it returns needs no parsing.
public struct MessageBuilder {
  private var raw = Bytes()
  private var fields: [Message.Field] = []

  private init(reserving capacity: Int) {
    raw.reserveCapacity(capacity)
    fields.reserveCapacity(16)
  }

  /// A request. `write` appends the header fields except Content-Length, which comes with the body.
  public static func request(
    _ method: Method, uri: some Collection<UInt8>, body: some Collection<UInt8>, _ write: (inout MessageBuilder) -> Void
  ) -> Request {
    var builder = MessageBuilder(reserving: 640 + body.count)
    builder.raw.append(contentsOf: method.bytes)
    builder.raw.append(32)
    let start = builder.raw.count
    builder.raw.append(contentsOf: uri)
    let end = builder.raw.count
    builder.raw.append(" SIP/2.0\r\n")
    write(&builder)
    return Request(message: builder.finish(body), method: method, uriRange: start..<end)
  }

  /// A response, likewise.
  public static func response(_ status: Int, _ reason: StaticString, body: some Collection<UInt8>, _ write: (inout MessageBuilder) -> Void)
    -> Response
  {
    var builder = MessageBuilder(reserving: 640 + body.count)
    builder.raw.append("SIP/2.0 ")
    builder.raw.append(decimal: status)
    builder.raw.append(32)
    let start = builder.raw.count
    builder.raw.append(reason)
    let end = builder.raw.count
    builder.raw.append("\r\n")
    write(&builder)
    return Response(message: builder.finish(body), status: status, reasonRange: start..<end)
  }

  public mutating func append(_ name: HeaderName, _ value: some Collection<UInt8>) {
    append(name) { $0.append(contentsOf: value) }
  }

  public mutating func append(_ name: HeaderName, _ value: StaticString) {
    append(name) { $0.append(value) }
  }

  /// The value is what `write` appends.
  public mutating func append(_ name: HeaderName, _ write: (inout Bytes) -> Void) {
    let nameStart = raw.count
    raw.append(name.text)
    let nameEnd = raw.count
    raw.append(": ")
    let valueStart = raw.count
    write(&raw)
    fields.append(.init(name: name, nameRange: nameStart..<nameEnd, valueRange: valueStart..<raw.count))
    raw.append("\r\n")
  }

  /// Appends all lines of the field as they stand in `message`.
  public mutating func copy(_ name: HeaderName, from message: Message) {
    for line in message.lines(name) { append(name, line) }
  }

  private mutating func finish(_ body: some Collection<UInt8>) -> Message {
    append(.contentLength) { $0.append(decimal: body.count) }
    raw.append("\r\n")
    let bodyStart = raw.count
    raw.append(contentsOf: body)
    return Message(raw: raw, fields: fields, bodyStart: bodyStart)
  }
}
