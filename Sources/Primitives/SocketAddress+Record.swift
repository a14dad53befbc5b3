extension SocketAddress: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    guard let ip = IPAddress(bytes: try record.owned(1)) else { throw .wrongType(field: 1) }
    self.init(ip: ip, port: try record.number(2, in: 0...UInt16.max))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, ip.bytes)
    writer.write(2, number: port)
  }
}
