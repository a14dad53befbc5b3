/// A value that can be written. Reading it back may want more than its record holds.
public protocol RecordWritable {
  func write(to writer: inout RecordWriter)
}

/// A value with a binary form.
public protocol RecordCodable: RecordWritable {
  init(_ record: Record) throws(RecordError)
}

extension RecordWritable {
  /// The value as bytes.
  public var record: Bytes {
    var writer = RecordWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension RecordCodable {
  public init(record bytes: some Collection<UInt8>) throws(RecordError) {
    try self.init(Record(Slice(bytes)))
  }
}

extension Record {
  public func optional<Value: RecordCodable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value? {
    guard let bytes = try optionalBytes(field) else { return nil }
    return try Value(Record(bytes))
  }

  public func value<Value: RecordCodable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value {
    guard let value = try optional(field, as: type) else { throw .missing(field: field) }
    return value
  }

  public func list<Value: RecordCodable>(_ field: Int, of type: Value.Type = Value.self) throws(RecordError) -> [Value] {
    try list(field).map { bytes throws(RecordError) in try Value(Record(bytes)) }
  }

  /// An enumeration that is stored by its number.
  public func choice<Value: RawRepresentable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value
  where Value.RawValue == UInt8 {
    guard let raw = UInt8(exactly: try number(field)), let value = Value(rawValue: raw) else { throw .unknownValue(field: field) }
    return value
  }

  public func optionalInstant(_ field: Int) throws(RecordError) -> Instant? {
    try optionalNumber(field).map { Instant(nanoseconds: Int64(bitPattern: $0)) }
  }

  public func instant(_ field: Int) throws(RecordError) -> Instant {
    guard let instant = try optionalInstant(field) else { throw .missing(field: field) }
    return instant
  }
}
