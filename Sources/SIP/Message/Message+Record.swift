public import Primitives

/// A message is stored as the bytes that it is, and parsed again.
extension Request: RecordCodable {
  /// Throws `malformed` for what is no request.
  public init(_ record: Record) throws(RecordError) {
    guard case .request(let request) = try ParsedMessage(record) else { throw .malformed }
    self = request
  }

  public func write(to writer: inout RecordWriter) { writer.write(1, message.raw) }
}

extension Response: RecordCodable {
  /// Throws `malformed` for what is no response.
  public init(_ record: Record) throws(RecordError) {
    guard case .response(let response) = try ParsedMessage(record) else { throw .malformed }
    self = response
  }

  public func write(to writer: inout RecordWriter) { writer.write(1, message.raw) }
}

extension ParsedMessage {
  fileprivate init(_ record: Record) throws(RecordError) {
    let raw = try record.owned(1)
    do {
      self = try MessageParser.parse(raw)
    } catch {
      throw .malformed
    }
  }
}
