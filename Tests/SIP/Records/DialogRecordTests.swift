import Primitives
import TestKit
import Testing

@testable import SIP

struct DialogRecordTests {
  /// Each kind of request and response, at random.
  private func played(_ seed: UInt64) throws -> Dialog {
    var random = SeededRandom(seed: seed)
    let routes = Bool.random(using: &random) ? "Record-Route: <sip:b;lr>, <sip:a;lr>\n" : ""
    let invite = try Trace.request(cseq: Int.random(in: 1...1_000_000, using: &random), more: routes)
    var dialog =
      Bool.random(using: &random)
      ? try Dialog(accepting: invite, localTag: Bytes("t".utf8))
      : try Dialog(of: invite, answeredBy: Trace.response(200, to: invite, more: "Contact: <sip:bob@192.0.2.4>"))
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: _ = dialog.request(.options)
      case 1: _ = try dialog.received(Trace.request("INFO", cseq: Int.random(in: 1...2_000_000, using: &random), toTag: "t"))
      default: dialog.refreshTarget(from: try Trace.request("UPDATE", toTag: "t"))
      }
    }
    return dialog
  }

  @Test func dialogsAreReadBack() throws {
    for seed: UInt64 in 0..<300 {
      let dialog = try played(seed)
      #expect(try Dialog(record: dialog.record) == dialog)
    }
  }

  @Test func golden() throws {
    let golden = try Golden("dialog", example: played(7).record)
    var dialog = try Dialog(record: golden.bytes)
    #expect(dialog.record == golden.bytes)
    #expect(dialog.id == Dialog.ID(callID: Bytes("c1".utf8), localTag: Bytes("t".utf8), remoteTag: Bytes("f1".utf8)))
    #expect(dialog.nextHop.text == "sip:b;lr")
    let bye = dialog.request(.bye)
    #expect(bye.uri.text == "sip:ann@203.0.113.10:5060")
    #expect(bye.message.value(.to)?.text == "<sip:ann@example.com>;tag=f1")
  }

  /// A number that may have been used already is not used again.
  @Test func anAdoptedDialogGoesOnBehindWhatWasRecorded() throws {
    var dialog = try Dialog(accepting: Trace.request(), localTag: [116])
    _ = dialog.request(.info)
    dialog.adopted()
    #expect(try dialog.request(.bye).cseq.number == 18)
  }

  @Test func spoiltDialogsDoNotTrap() throws {
    let whole = try played(7).record
    for count in whole.indices { _ = try? Dialog(record: whole.prefix(count)) }
    #expect(throws: RecordError.self) { try Dialog(record: whole.dropLast()) }
    var spoiler = Spoiler(seed: 1)
    for _ in 0..<3000 {
      guard var dialog = try? Dialog(record: spoiler.spoil(whole)) else { continue }
      dialog.adopted()
      _ = dialog.request(.bye)
      #expect(try Dialog(record: dialog.record) == dialog)
    }
  }
}

struct SessionTimerRecordTests {
  static let refreshed = "Session-Expires: 600;refresher=uac\nSupported: timer\nRequire: timer"

  private func played(_ seed: UInt64) throws -> SessionTimer {
    var random = SeededRandom(seed: seed)
    var timer = SessionTimer(
      policy: .init(minimum: UInt32.random(in: 0...200, using: &random)), allowsUpdate: Bool.random(using: &random))
    var now = Instant.ms(1_764_480_000_000)
    let invite = try Trace.request(more: ["", "Supported: timer\n", Self.refreshed + "\n"].randomElement(using: &random) ?? "")
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      now = now + .seconds(Int64.random(in: 0...900, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: timer.answered(timer.answer(to: invite), now: now)
      case 1: _ = timer.requestStarted(Bool.random(using: &random) ? .update : .invite)
      case 2: _ = timer.deadlineReached(now: now)
      case 3: _ = timer.answered(by: Trace.response(200, to: invite, more: Self.refreshed), now: now, random: &random)
      default:
        let status = [422, 491, 500, 405].randomElement(using: &random) ?? 500
        _ = timer.answered(by: Trace.response(status, to: invite, more: "Min-SE: 900"), now: now, random: &random)
      }
    }
    return timer
  }

  @Test func timersAreReadBack() throws {
    for seed: UInt64 in 0..<600 {
      let timer = try played(seed)
      #expect(try SessionTimer(record: timer.record) == timer)
    }
  }

  @Test func golden() throws {
    var example = SessionTimer(policy: .init(minimum: 100, wanted: 1000), allowsUpdate: true)
    example.state = .refreshing(.init(seconds: 600, now: .ms(1_764_480_000_000)), method: .update, isRepeated: true)
    example.minimum = 120
    let golden = try Golden("session-timer", example: example.record)
    #expect(try SessionTimer(record: golden.bytes) == example)
    #expect(example.record == golden.bytes)
    #expect(try SessionTimer(record: []) == SessionTimer(), "everything has a default")
  }

  @Test func anOpenRefreshIsDoneAnew() throws {
    let now = Instant.ms(1_764_480_000_000)
    var timer = SessionTimer(allowsUpdate: true)
    timer.state = .refreshing(.init(seconds: 600, now: now), method: .invite, isRepeated: false)
    timer.adopted(now: now + .seconds(300))
    #expect(timer.deadline == now + .seconds(300) + .seconds(134))
    #expect(timer.fields(of: .invite).sessionExpires == SessionExpires(seconds: 600, refresher: .uac))
    timer.adopted(now: now + .seconds(3000))
    guard case .refresh = timer.deadlineReached(now: now + .seconds(440)) else { return #expect(Bool(false)) }
    timer.adopted(now: now + .seconds(3000))
    #expect(timer.deadlineReached(now: now + .seconds(3000)) == .end)
  }

  @Test func spoiltTimersDoNotTrap() throws {
    var spoiler = Spoiler(seed: 1)
    var random = SeededRandom(seed: 1)
    for seed: UInt64 in 0..<2000 {
      guard var timer = try? SessionTimer(record: spoiler.spoil(played(seed).record)) else { continue }
      timer.adopted(now: .ms(1_764_480_000_000))
      _ = timer.deadlineReached(now: .ms(1_764_480_000_000))
      _ = timer.answered(by: Trace.response(500, to: try Trace.request()), now: .ms(1_764_480_000_000), random: &random)
    }
  }
}
