public import Primitives

extension Account: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    guard let id = AccountID(bytes: Bytes(try record.bytes(1))) else { throw .wrongType(field: 1) }
    self.init(
      id: id, registrar: try record.text(2), user: try record.text(3), domain: try record.text(4), authUser: try record.optionalText(5),
      credentials: try record.list(6), transport: try record.choice(7), outboundProxy: try record.optionalText(8),
      expires: try record.optionalNumber(9).map { Int(truncatingIfNeeded: $0) }, devices: try record.list(10))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, id.bytes)
    writer.write(2, registrar)
    writer.write(3, user)
    writer.write(4, domain)
    writer.write(5, authUser)
    writer.write(6, list: credentials)
    writer.write(7, UInt64(transport.rawValue))
    writer.write(8, outboundProxy)
    writer.write(9, expires.map { UInt64(truncatingIfNeeded: $0) })
    writer.write(10, list: devices)
  }
}

extension Credential: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(realm: try record.text(1), algorithm: try record.choice(2), ha1: Bytes(try record.bytes(3)))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, realm)
    writer.write(2, UInt64(algorithm.rawValue))
    writer.write(3, ha1)
  }
}
