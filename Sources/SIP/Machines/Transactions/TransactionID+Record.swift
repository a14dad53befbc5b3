public import Primitives

/// For transactions whose request is not stored beside: that of an INVITE is made of the INVITE again.
extension ServerTransactionID: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(key: try record.owned(1), method: Method(try record.bytes(2)))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, key)
    writer.write(2, method.bytes)
  }
}
