import PhoneContract
import Primitives
import Testing

@Suite struct AnnouncementTests {
  static let at = Instant.ms(1_764_480_000_123)

  @Test func looksAsTheContractSays() {
    let call = Announcement.call(at: Self.at, number: "+4930123456", name: "Ann").padded()
    #expect(call.count == 512)
    #expect(call.text.trimmingSpaces == #"{"kind":"call","at":1764480000123,"number":"+4930123456","name":"Ann"}"#)
    let stop = Announcement.stop(at: Self.at, why: .answeredElsewhere).padded()
    #expect(stop.count == 512)
    #expect(stop.text.trimmingSpaces == #"{"kind":"stop","at":1764480000123,"why":"answered-elsewhere"}"#)
    let withheld = Announcement.call(at: Self.at, number: nil, name: nil).padded()
    #expect(withheld.text.trimmingSpaces == #"{"kind":"call","at":1764480000123,"number":null,"name":null}"#)
  }

  static let names = [
    "", "Ann", "\"quoted\" \\ back", "\u{1}\u{1F}\u{7F}", "/", "Ånn Müller", "日本語", "👩‍👩‍👧‍👦",
    String(repeating: "x", count: 439), String(repeating: "x", count: 440), String(repeating: "x", count: 441),
    String(repeating: "👩‍👩‍👧‍👦", count: 100), String(repeating: "é", count: 500), String(repeating: "\u{1}", count: 100),
    "a" + String(repeating: "\u{301}", count: 1000), String(repeating: "\"", count: 1000), "\u{FFFD}",
  ]

  @Test(arguments: names) func everyNameFitsAndIsCutAtACharacter(name: String) throws {
    for number in [nil, "1", String(repeating: "9", count: 1000), name] {
      let padded = Announcement.call(at: Self.at, number: number, name: name).padded()
      #expect(padded.count == 512)
      guard case .call(Self.at, let readNumber, let readName) = Announcement(padded) else {
        Issue.record("not read back")
        continue
      }
      #expect(readName.map { name.unicodeScalars.starts(with: $0.unicodeScalars) } == true)
      #expect(readNumber.map { number?.unicodeScalars.starts(with: $0.unicodeScalars) == true } ?? (number == nil))
      if name.count > 1, let readName { #expect(name.hasPrefix(readName)) }
    }
  }

  @Test(arguments: StopReason.allCases) func stopIsReadBack(why: StopReason) {
    let stop = Announcement.stop(at: Self.at, why: why)
    #expect(Announcement(stop.padded()) == stop)
  }

  @Test(arguments: ["", "{}", #"{"kind":"wave","at":1}"#, #"{"kind":"stop","at":1}"#, #"{"kind":"stop","at":1,"why":"x"}"#])
  func whatIsNoAnnouncement(json: String) { #expect(Announcement(Array(json.utf8)) == nil) }

  @Test func aMomentBeyondAllMomentsIsNoCrash() {
    #expect(Announcement(Array(#"{"kind":"call","at":9223372036854775807}"#.utf8)) != nil)
    #expect(Announcement(Array(#"{"kind":"call","at":-9223372036854775808}"#.utf8)) != nil)
  }

  @Test func nothingOfItIsPrinted() {
    #expect("\(Announcement.call(at: Self.at, number: "+4930", name: "Ann"))" == "Announcement")
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(decoding: Array(utf8.reversed().drop { $0 == 0x20 }.reversed()), as: UTF8.self)
  }
}
