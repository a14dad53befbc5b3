import Primitives
import RESP
import Testing

@Suite struct RESPDecoderTests {
  static let answers: [(text: String, value: RESPValue)] = [
    ("+OK\r\n", .status(Array("OK".utf8))),
    ("-READONLY You can't write.\r\n", .error(Array("READONLY You can't write.".utf8))),
    (":-42\r\n", .integer(-42)),
    ("$0\r\n\r\n", .bulk([])),
    ("$5\r\na\r\nb\0\r\n", .bulk(Array("a\r\nb\0".utf8))),
    ("$-1\r\n", .null),
    ("*-1\r\n", .null),
    ("*0\r\n", .array([])),
    ("*3\r\n:1\r\n*2\r\n$1\r\na\r\n*0\r\n*1\r\n$-1\r\n", .array([.integer(1), .array([.bulk([97]), .array([])]), .array([.null])])),
  ]

  /// All of them one after the other, in pieces of each size.
  @Test(arguments: [1, 2, 3, 7, 1000]) func areReadInPieces(size: Int) throws {
    let decoder = RESPDecoder()
    let bytes = Array(Self.answers.map(\.text).joined().utf8)
    var read: [RESPValue] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      decoder.feed(bytes[start..<min(start + size, bytes.count)])
      while let value = try decoder.next() { read.append(value) }
    }
    #expect(read == Self.answers.map(\.value))
  }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "*-2\r\n", "$-2\r\n", "*99999999999999\r\n", ":x\r\n", "%1\r\n+a\r\n+b\r\n", "_\r\n"])
  func isNoAnswer(text: String) {
    let decoder = RESPDecoder()
    decoder.feed(Array(text.utf8)[...])
    #expect(throws: RESPError.self) { try decoder.next() }
    decoder.feed(Array("+OK\r\n".utf8)[...])
    #expect(throws: RESPError.self) { try decoder.next() }
  }

  @Test(arguments: [
    "$9\r\n123456789\r\n", "+123456789\r\n", "*3\r\n$7\r\n1234567\r\n$7\r\n1234567\r\n$7\r\n1234567\r\n", "*6\r\n",
    "*2\r\n*2\r\n:1\r\n:1\r\n*2\r\n:1\r\n:1\r\n", "*1\r\n*1\r\n*1\r\n:1\r\n",
  ]) func isOverALimit(text: String) {
    var limits = RESPLimits()
    (limits.bulkBytes, limits.answerBytes, limits.values, limits.depth) = (8, 20, 5, 2)
    let decoder = RESPDecoder(limits: limits)
    decoder.feed(Array(text.utf8)[...])
    #expect(throws: RESPError.tooLarge) { try decoder.next() }
  }

  @Test func aBulkThatNeverEndsIsNotCollected() throws {
    var limits = RESPLimits()
    limits.bulkBytes = 1000
    let decoder = RESPDecoder(limits: limits)
    decoder.feed(Array("$2000000000\r\n".utf8)[...])
    #expect(try decoder.next() == nil)
    #expect(throws: RESPError.tooLarge) {
      for _ in 0..<20 {
        decoder.feed(Bytes(repeating: 97, count: 100)[...])
        _ = try decoder.next()
      }
    }
  }

  /// Whatever comes, it ends with values or an error.
  @Test func spoiltAnswersDoNoHarm() {
    var random = SeededRandom(seed: 1)
    let whole = Array(Self.answers.map(\.text).joined().utf8)
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = [13, 10, 36, 42, 43, 45, 49, 58].randomElement(using: &random) ?? 0
      }
      let decoder = RESPDecoder()
      decoder.feed(bytes[...])
      while let value = try? decoder.next() { _ = value }
    }
  }

  @Test func wordsOfAnAnswer() {
    #expect(RESPValue.error(Array("NOSCRIPT No matching".utf8)).errorCode == "NOSCRIPT")
    #expect(RESPValue.bulk(Array("12".utf8)).number == 12)
    #expect(RESPValue.bulk([1]).number == nil)
    #expect(RESPValue.status([1]).bytes == [1])
    #expect(RESPValue.array([.null]).list == [.null])
  }

  @Test func commandsAreEncoded() {
    #expect(RESPCommand.encode([Array("SET".utf8), [0, 13, 10], []]).text == "*3\r\n$3\r\nSET\r\n$3\r\n\0\r\n\r\n$0\r\n\r\n")
  }
}
