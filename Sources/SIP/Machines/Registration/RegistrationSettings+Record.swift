public import Primitives

extension RegistrationSettings: RecordCodable {
  /// Where our Contact is, over one transport.
  private struct ContactAddress: RecordCodable {
    let transport: Transport
    let address: Bytes

    init(transport: Transport, address: Bytes) {
      self.transport = transport
      self.address = address
    }

    init(_ record: Record) throws(RecordError) {
      self.init(transport: try record.choice(1), address: try record.owned(2))
    }

    func write(to writer: inout RecordWriter) {
      writer.write(1, choice: transport)
      writer.write(2, address)
    }
  }

  public init(_ record: Record) throws(RecordError) {
    let contacts = try record.list(6, of: ContactAddress.self).map { ($0.transport, $0.address) }
    self.init(
      registrar: try record.owned(1), addressOfRecord: try record.owned(2), username: try record.owned(3), token: try record.owned(4),
      expires: try record.number(5, in: 0...UInt32.max), contactAddresses: Dictionary(contacts, uniquingKeysWith: { first, _ in first }),
      options: try record.ownedList(7), instance: try record.optionalOwned(8))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, registrar)
    writer.write(2, addressOfRecord)
    writer.write(3, username)
    writer.write(4, token)
    writer.write(5, number: expires)
    let contacts = contactAddresses.map { ContactAddress(transport: $0.key, address: $0.value) }
    writer.write(6, list: contacts.sorted { $0.transport.rawValue < $1.transport.rawValue })
    writer.write(7, list: options)
    writer.write(8, instance)
  }
}

extension RegistrationStatus: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(
      state: try record.word(1), transport: try record.optionalChoice(2), demands: try record.list(3),
      retryAt: try record.optionalInstant(4))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, word: state)
    writer.write(2, choice: transport)
    writer.write(3, list: demands)
    writer.write(4, retryAt)
  }
}

extension RegistrationStatus.Demand: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(realm: try record.owned(1), algorithm: try record.owned(2))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, realm)
    writer.write(2, algorithm)
  }
}

extension RegistrationBinding: RecordCodable {
  public init(_ record: Record) throws(RecordError) {
    self.init(
      target: try record.value(1), contact: try record.owned(2), expiresAt: try record.instant(3),
      serviceRoutes: try record.ownedList(4), path: try record.ownedList(5), associatedURIs: try record.ownedList(6),
      publicGRUU: try record.optionalOwned(7))
  }

  public func write(to writer: inout RecordWriter) {
    writer.write(1, target)
    writer.write(2, contact)
    writer.write(3, expiresAt)
    writer.write(4, list: serviceRoutes)
    writer.write(5, list: path)
    writer.write(6, list: associatedURIs)
    writer.write(7, publicGRUU)
  }
}
