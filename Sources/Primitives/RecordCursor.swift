/// Reads one field after the other.
struct RecordCursor {
  var rest: Slice

  /// nil for a field of a type that is skipped.
  mutating func field() throws(RecordError) -> (number: Int, value: Record.Value)? {
    let key = try varint()
    guard let number = Int(exactly: key >> 3), (1...RecordWriter.fieldNumberLimit).contains(number) else { throw .malformed }
    switch key & 7 {
    case 0: return (number, .number(try varint()))
    case 2:
      guard let count = Int(exactly: try varint()) else { throw .malformed }
      return (number, .bytes(try take(count)))
    case 1: _ = try take(8)
    case 5: _ = try take(4)
    default: throw .malformed
    }
    return nil
  }

  private mutating func varint() throws(RecordError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw .truncated }
      // The tenth byte holds the last of 64 bits.
      guard shift < 63 || byte <= 1 else { throw .malformed }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw .malformed
  }

  private mutating func take(_ count: Int) throws(RecordError) -> Slice {
    guard count <= rest.count else { throw .truncated }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
