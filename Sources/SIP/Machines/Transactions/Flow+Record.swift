public import Primitives

extension Flow: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(
      transport: try record.choice(1), local: try record.value(2), remote: try record.value(3),
      connection: try record.optionalNumber(4) ?? 0)
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, choice: transport)
    writer.write(2, local)
    writer.write(3, remote)
    writer.write(4, connection == 0 ? nil : connection)
  }
}

extension Target: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(transport: try record.choice(1), address: try record.value(2))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, choice: transport)
    writer.write(2, address)
  }
}
