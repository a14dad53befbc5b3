/// Values that are no records of their own.
extension Record {
  /// A number within bounds: whoever counts on with it need not look again. nil where it is missing.
  public func optionalNumber<Number: FixedWidthInteger>(_ field: Int, in range: ClosedRange<Number>) throws(RecordError) -> Number? {
    guard let raw = try optionalNumber(field) else { return nil }
    guard let number = Number(exactly: raw), range.contains(number) else { throw .unknownValue(field: field) }
    return number
  }

  public func number<Number: FixedWidthInteger>(_ field: Int, in range: ClosedRange<Number>) throws(RecordError) -> Number {
    guard let number = try optionalNumber(field, in: range) else { throw .missing(field: field) }
    return number
  }

  /// False where it is missing.
  public func flag(_ field: Int) throws(RecordError) -> Bool { try optionalNumber(field) ?? 0 != 0 }

  public func optionalChoice<Value: RawRepresentable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value?
  where Value.RawValue == UInt8 {
    guard try optionalNumber(field) != nil else { return nil }
    return try choice(field)
  }

  /// An enumeration that is stored by its word.
  public func word<Value: RawRepresentable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value
  where Value.RawValue == String {
    guard let value = Value(rawValue: try text(field)) else { throw .unknownValue(field: field) }
    return value
  }

  public func optionalWord<Value: RawRepresentable>(_ field: Int, as type: Value.Type = Value.self) throws(RecordError) -> Value?
  where Value.RawValue == String {
    guard try optionalBytes(field) != nil else { return nil }
    return try word(field)
  }

  /// Bytes that stay when the record's buffer goes.
  public func owned(_ field: Int) throws(RecordError) -> Bytes { Bytes(try bytes(field)) }
  public func optionalOwned(_ field: Int) throws(RecordError) -> Bytes? { try optionalBytes(field).map { Bytes($0) } }
  public func ownedList(_ field: Int) throws(RecordError) -> [Bytes] { try list(field).map { Bytes($0) } }
}

extension RecordWriter {
  /// Left out where it is false.
  public mutating func write(_ field: Int, flag: Bool) {
    if flag { write(field, 1 as UInt64) }
  }

  public mutating func write(_ field: Int, number: (some BinaryInteger)?) {
    write(field, number.map { UInt64(truncatingIfNeeded: $0) })
  }

  public mutating func write(_ field: Int, choice: (some RawRepresentable<UInt8>)?) {
    write(field, choice.map { UInt64($0.rawValue) })
  }

  public mutating func write(_ field: Int, word: (some RawRepresentable<String>)?) {
    write(field, word?.rawValue)
  }

  /// A repeated field of bytes.
  public mutating func write(_ field: Int, list: [Bytes]) {
    for bytes in list { write(field, bytes) }
  }
}
