import Foundation
import Primitives
import SIP
import Testing

/// Nothing that arrives may stop the process.
struct MutationTests {
  @Test func foundByOthers() throws {
    for file in try Samples.files("fuzz", ".bin") { readAll(try Samples.bytes(file)) }
  }

  /// Each torture and provider message, with bytes changed, taken out, doubled and cut off. The seed makes the run the same each time.
  @Test(arguments: [("rfc4475", ".dat"), ("rfc5118", ".dat"), ("provider-messages", ".sip")])
  func mutated(_ folder: String, _ suffix: String) throws {
    var random = SeededRandom(seed: 4475)
    for file in try Samples.files(folder, suffix) {
      let bytes = try Samples.bytes(file)
      for _ in 0..<12 {
        let changed = Self.mutated(bytes, &random)
        readAll(changed)
        var stream = StreamParser()
        let cut = Int.random(in: 0...changed.count, using: &random)
        let pieces = stream.receive(changed[..<cut]) + stream.receive(changed[cut...])
        var whole = StreamParser()
        #expect(whole.receive(changed) == pieces, "\(file)")
      }
    }
  }

  private static let alphabet = Array("\r\n\0 \t:;,<>\"\\@%=?/[]()0Sz".utf8) + [0x80, 0xFF]

  private static func mutated(_ bytes: Bytes, _ random: inout SeededRandom) -> Bytes {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = alphabet.randomElement(using: &random) ?? 0
      case 1: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: place)
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.removeSubrange(max(place, bytes.count / 2)...)
      }
    }
    return bytes
  }
}

/// One place for every limit of the parser.
struct LimitTests {
  private func options(fields: Int) -> Bytes {
    message(
      "OPTIONS sip:a SIP/2.0\nv: SIP/2.0/UDP x\nf: <sip:f>;tag=1\nt: <sip:t>\ni: 1\nCSeq: 1 OPTIONS\n"
        + String(repeating: "X: y\n", count: fields - 5) + "\n")
  }

  @Test func fields() {
    #expect(Verdict(options(fields: MessageParser.mostFields)) == .accepted)
    #expect(Verdict(options(fields: MessageParser.mostFields + 1)) == .refused(400))
  }

  @Test func size() {
    let bytes = options(fields: 5)
    #expect(Verdict(bytes + Bytes(repeating: 65, count: MessageParser.largestMessage - bytes.count)) == .accepted)
    #expect(Verdict(bytes + Bytes(repeating: 65, count: MessageParser.largestMessage)) == .dropped)
  }

  @Test(arguments: ["", "\r\n\r\n", "\r\n", "\0", "GET / HTTP/1.1\r\n\r\n", "SIP/2.0\r\n\r\n", "ACK sip:a SIP/2.0\r\nnonsense\r\n\r\n"])
  func silence(_ text: String) { #expect(Verdict(Array(text.utf8)) == .dropped) }

  /// A bare CR or LF in a header could be read as a line end by the next element.
  @Test(arguments: ["\n", "\r", "\n\r"])
  func strayLineEnds(_ stray: String) {
    #expect(Verdict(Array(options(fields: 6).text.replacingOccurrences(of: "X: y", with: "X: y\(stray)z").utf8)) == .refused(400))
  }
}
