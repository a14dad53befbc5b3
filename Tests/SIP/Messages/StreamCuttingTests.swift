import Foundation
import Primitives
import SIP
import Testing

/// However a stream is cut, it holds the same messages.
struct StreamCuttingTests {
  private static func events(_ pieces: [Slice]) -> [StreamParser.Event] {
    var parser = StreamParser()
    return pieces.flatMap { parser.receive($0) }
  }

  static let files: [String] = {
    let folders = [("rfc4475", ".dat"), ("rfc5118", ".dat"), ("fuzz", ".bin")]
    return folders.flatMap { (try? Samples.files($0, $1)) ?? [] }
  }()

  @Test(arguments: files)
  func allAtOnceByteByByteAndCutAtEveryPlace(_ file: String) throws {
    let bytes = try Samples.bytes(file)
    let whole = Self.events([bytes[...]])
    #expect(Self.events(bytes.indices.map { bytes[$0...$0] }) == whole)
    for cut in bytes.indices where Self.events([bytes[..<cut], bytes[cut...]]) != whole {
      Issue.record("cut at \(cut)")
    }
  }

  @Test func aStreamReadsWhatADatagramReads() throws {
    for file in Self.files {
      let bytes = try Samples.bytes(file)
      guard let parsed = try? MessageParser.parse(bytes), case .message(let first)? = Self.events([bytes[...]]).first else { continue }
      #expect(parsed == first, "\(file)")
    }
  }

  @Test func twoMessagesInOnePiece() throws {
    let events = Self.events([try Samples.bytes("rfc4475/dblreq.dat")[...]])
    guard case .message(.request(let first))? = events.first, case .message(.request(let second))? = events.dropFirst(2).first else {
      Issue.record("\(events.count) events")
      return
    }
    #expect(first.method == .register && second.method == .invite)
    #expect(events[1] == .pong)
    #expect(second.message.body.count == 150)
  }
}

/// RFC 3261 §18.3, RFC 5626 §4.4.1, and the limits.
struct StreamParserTests {
  private static let options = message(
    """
    OPTIONS sip:a@example.com SIP/2.0
    v: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1
    f: <sip:b@example.com>;tag=1
    t: <sip:a@example.com>
    i: 1
    CSeq: 1 OPTIONS
    l: 0


    """)

  private func replacing(_ old: String, _ new: String) -> Bytes {
    message(Self.options.text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: old, with: new))
  }

  @Test func keepAlives() {
    var parser = StreamParser()
    #expect(parser.receive("\r\n".utf8) == [.pong])
    #expect(parser.receive("\r\n".utf8) == [.ping])
    #expect(parser.receive("\r".utf8) == [])
    #expect(parser.isPartial)
    #expect(parser.receive("\n\r\n".utf8) == [.pong, .ping])
    #expect(!parser.isPartial)
  }

  @Test func partialUntilTheEnd() {
    var parser = StreamParser()
    #expect(parser.receive(Self.options.dropLast()) == [])
    #expect(parser.isPartial)
    #expect(parser.receive(Self.options.suffix(1)).count == 1)
    #expect(!parser.isPartial)
  }

  /// A bad start line leaves the framing whole: the next message is served.
  @Test func badStartLineIsNotFatal() {
    var parser = StreamParser()
    let events = parser.receive(replacing("SIP/2.0\nv", "SIP/3.0\nv") + Self.options)
    guard case .failure(let error, isFatal: false)? = events.first, case .message? = events.last else {
      Issue.record("\(events.count) events")
      return
    }
    #expect(error.status == 505 && error.request != nil && events.count == 2)
  }

  @Test(arguments: ["l: 0\n|", "l: 0|l: -1", "l: 0|l: 0\nl: 0", "l: 0|l: 70000", "l: 0|no colon\nl: 0", "l: 0|l: 99999999999999999999"])
  func lostFramingIsFatal(_ change: String) {
    let parts = change.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    var parser = StreamParser()
    let events = parser.receive(replacing(parts[0], parts[1]) + Self.options)
    guard case .failure(let error, isFatal: true)? = events.first else {
      Issue.record("not fatal")
      return
    }
    #expect(events.count == 1 && error.request != nil)
    #expect(error.status == (change.hasSuffix("70000") ? 513 : 400))
    #expect(parser.receive(Self.options) == [] && !parser.isPartial)
  }

  @Test func aHeadWithoutEndIsCutOff() {
    var parser = StreamParser()
    let events = (0..<70).flatMap { _ in parser.receive(Bytes(repeating: 65, count: 1024)) }
    #expect(events == [.failure(SIPError(status: 513, fault: .tooLarge), isFatal: true)])
  }
}
