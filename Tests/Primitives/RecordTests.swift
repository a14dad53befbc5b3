import Primitives
import Testing

private struct Leaf: RecordCodable, Equatable {
  var text: String

  init(text: String) { self.text = text }
  init(_ record: Record) throws(RecordError) { text = try record.text(1) }
  func write(to writer: inout RecordWriter) { writer.write(1, text) }
}

private struct Tree: RecordCodable, Equatable {
  var number: UInt64
  var optional: UInt64?
  var leaf: Leaf?
  var leaves: [Leaf]
  var moment: Instant

  init(number: UInt64, optional: UInt64?, leaf: Leaf?, leaves: [Leaf], moment: Instant) {
    (self.number, self.optional, self.leaf, self.leaves, self.moment) = (number, optional, leaf, leaves, moment)
  }

  init(_ record: Record) throws(RecordError) {
    number = try record.number(1)
    optional = try record.optionalNumber(2)
    leaf = try record.optional(3)
    leaves = try record.list(4)
    moment = try record.instant(16)
  }

  func write(to writer: inout RecordWriter) {
    writer.write(1, number)
    writer.write(2, optional)
    writer.write(3, leaf)
    writer.write(4, list: leaves)
    writer.write(16, moment)
  }
}

@Suite struct RecordTests {
  private let tree = Tree(
    number: 300, optional: nil, leaf: Leaf(text: "é"), leaves: [Leaf(text: ""), Leaf(text: "b")], moment: Instant(nanoseconds: -1))

  @Test func hasTheBytesOfProtocolBuffers() {
    #expect(Hex.encode(tree.record) == "08ac02" + "1a040a02c3a9" + "22020a00" + "22030a0162" + "8001ffffffffffffffffff01")
  }

  @Test func isReadBack() throws {
    #expect(try Tree(record: tree.record) == tree)
    var largest = tree
    largest.number = .max
    largest.optional = 0
    largest.leaf = nil
    #expect(try Tree(record: largest.record) == largest)
  }

  @Test func cutAnywhereItThrowsOrLacksAField() {
    let bytes = tree.record
    for count in bytes.indices {
      #expect(throws: RecordError.self) { try Tree(record: bytes.prefix(count)) }
    }
  }

  @Test func unknownFieldsOfEveryTypeAreSkipped() throws {
    let unknown = try #require(Hex.decode("f80101" + "fa010161" + "f9010102030405060708" + "fd0101020304"))
    #expect(try Tree(record: unknown + tree.record + unknown) == tree)
  }

  @Test func theLastOneCounts() throws {
    #expect(try Record([0x08, 1, 0x08, 2]).number(1) == 2)
  }

  @Test(arguments: [
    ("00", RecordError.malformed), ("0b", .malformed), ("0f", .malformed), ("08ffffffffffffffffff02", .malformed),
    ("08ffffffffffffffffffff01", .malformed), ("08", .truncated), ("0880", .truncated), ("0a0261", .truncated), ("0900", .truncated),
    ("0affffffffffffffffff01", .malformed), ("ffffffffffffffffff01", .malformed),
  ])
  func badBytes(hex: String, error: RecordError) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(throws: error) { try Record(bytes[...]) }
  }

  @Test func typesAndLimits() {
    #expect(throws: RecordError.wrongType(field: 1)) { try Record([0x08, 1]).bytes(1) }
    #expect(throws: RecordError.wrongType(field: 1)) { try Record([0x0A, 0]).number(1) }
    #expect(throws: RecordError.wrongType(field: 1)) { try Record([0x0A, 1, 0xFF]).text(1) }
    #expect(throws: RecordError.missing(field: 2)) { try Record([0x08, 1]).number(2) }
    #expect(throws: RecordError.tooLarge) { try Record(Bytes(repeating: 0, count: Record.byteLimit + 1)[...]) }
    let many = Array(repeatElement([UInt8(0x08), 1], count: Record.fieldLimit + 1).joined())
    #expect(throws: RecordError.tooLarge) { try Record(many[...]) }
  }

  @Test func noBytesCrash() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<2000 { _ = try? Tree(record: random.bytes(Int.random(in: 0...40, using: &random))) }
  }
}
