/// Writes the fields of a record. What is nil is left out.
public struct RecordWriter: Sendable {
  public private(set) var bytes = Bytes()

  public init() {}

  /// Field numbers go from 1 to this.
  static let fieldNumberLimit = 1 << 16

  public mutating func write(_ field: Int, _ number: UInt64?) {
    guard let number else { return }
    key(field, type: 0)
    varint(number)
  }

  public mutating func write(_ field: Int, _ bytes: (some Collection<UInt8>)?) {
    guard let bytes else { return }
    key(field, type: 2)
    varint(UInt64(bytes.count))
    self.bytes.append(contentsOf: bytes)
  }

  public mutating func write(_ field: Int, _ text: String?) {
    write(field, text?.utf8)
  }

  public mutating func write(_ field: Int, _ value: (some RecordWritable)?) {
    write(field, value?.record)
  }

  /// A repeated field.
  public mutating func write(_ field: Int, list: [some RecordWritable]) {
    for value in list { write(field, value) }
  }

  public mutating func write(_ field: Int, _ instant: Instant?) {
    write(field, instant.map { UInt64(bitPattern: $0.nanoseconds) })
  }

  private mutating func key(_ field: Int, type: UInt64) {
    precondition((1...Self.fieldNumberLimit).contains(field), "field numbers are constants of the code")
    varint(UInt64(field) << 3 | type)
  }

  private mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
