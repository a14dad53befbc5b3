/// The binary form of everything that is stored or handed over: fields with a number and a type, laid out as Protocol Buffers does.
/// A reader skips numbers that it does not know and has defaults for those that are missing, so that the version before and the
/// version after read each other. A number is never used again for something else.
///
/// Here are the fields of one record as they were read; they share the buffer.
public struct Record: Sendable {
  enum Value: Sendable {
    case number(UInt64)
    case bytes(Slice)
  }

  private var fields: [(number: Int, value: Value)] = []

  /// A record has at most this many fields and bytes; each nested one again.
  public static let fieldLimit = 4096
  public static let byteLimit = 1 << 20

  public init(_ bytes: Slice) throws(RecordError) {
    guard bytes.count <= Self.byteLimit else { throw .tooLarge }
    var cursor = RecordCursor(rest: bytes)
    while !cursor.rest.isEmpty {
      guard let (number, value) = try cursor.field() else { continue }
      guard fields.count < Self.fieldLimit else { throw .tooLarge }
      fields.append((number, value))
    }
  }

  private func values(_ number: Int) -> some Sequence<Value> {
    fields.lazy.filter { $0.number == number }.map { $0.value }
  }

  /// nil where it is missing. The last one counts, as in Protocol Buffers.
  public func optionalNumber(_ field: Int) throws(RecordError) -> UInt64? {
    guard let value = fields.last(where: { $0.number == field })?.value else { return nil }
    guard case .number(let number) = value else { throw .wrongType(field: field) }
    return number
  }

  public func number(_ field: Int) throws(RecordError) -> UInt64 {
    guard let number = try optionalNumber(field) else { throw .missing(field: field) }
    return number
  }

  public func optionalBytes(_ field: Int) throws(RecordError) -> Slice? {
    guard let value = fields.last(where: { $0.number == field })?.value else { return nil }
    guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
    return bytes
  }

  public func bytes(_ field: Int) throws(RecordError) -> Slice {
    guard let bytes = try optionalBytes(field) else { throw .missing(field: field) }
    return bytes
  }

  public func optionalText(_ field: Int) throws(RecordError) -> String? {
    guard let bytes = try optionalBytes(field) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .wrongType(field: field) }
    return text
  }

  public func text(_ field: Int) throws(RecordError) -> String {
    guard let text = try optionalText(field) else { throw .missing(field: field) }
    return text
  }

  /// Every one of a repeated field, in order.
  public func list(_ field: Int) throws(RecordError) -> [Slice] {
    var list: [Slice] = []
    for value in values(field) {
      guard case .bytes(let bytes) = value else { throw .wrongType(field: field) }
      list.append(bytes)
    }
    return list
  }
}

/// What is wrong with the bytes of a record.
public enum RecordError: Error, Hashable, Sendable {
  case truncated
  case malformed
  case tooLarge
  case missing(field: Int)
  case wrongType(field: Int)
  /// A number that names nothing in this version.
  case unknownValue(field: Int)
}
