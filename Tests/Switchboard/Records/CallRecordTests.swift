import PhoneContract
import Primitives
import SIP
import Store
import TestKit
import Testing

@testable import Switchboard

@Suite struct CallRecordTests {
  @Test(arguments: 0..<4 as Range<UInt64>) func whateverHappensIsReadBack(_ part: UInt64) throws {
    for seed in stride(from: part, to: 120, by: 4) {
      var story = Story(seed: seed)
      _ = try story.play(steps: 40) { stage in
        for call in stage.board.calls.values {
          let read = try Call(record: call.record)
          #expect(read == call.asStored, "seed \(seed)")
          #expect(read.record == call.record)
        }
      }
    }
  }

  @Test func golden() throws {
    for (name, example) in try Self.examples() {
      let golden = try Golden(name, example: example.record)
      let read = try Call(record: golden.bytes)
      #expect(read.record == golden.bytes, "\(name)")
      #expect(read.caller == Caller(of: read.invite) && read.caller.number == "+4930123456")
      #expect(read.transaction == (try ServerTransactionID(read.invite)))
      #expect(read.offer?.text == Leg.sdp("caller"))
      #expect(read.account == Stage.account && read.flow == Stage.providerFlow)
    }
  }

  @Test func goldenParts() throws {
    let held = try #require(Call(record: Self.golden("call-ringing")).held)
    #expect(held.rings == [Stage.device("a"): .announced, Stage.device("b"): .intended, Stage.device("c"): .tokenGone])
    #expect(held.fetched == [Stage.device("a"): .two] && held.claim?.device == Stage.device("a"))
    #expect(held.kept == [Stage.device("a"): Array(Leg.sdp("phone-a").utf8)])
    let talk = try #require(Call(record: Self.golden("call-answered")).talk)
    #expect(talk.line == DeviceLine(device: Stage.device("a"), line: .two) && talk.phase == .confirmed)
    #expect(talk.heard?.text == Leg.sdp("caller") && talk.said.text == Leg.sdp("phone-a"))
    #expect(talk.feed.lastSequence == 3 && talk.feed.events.map(\.seq) == [2, 3])
    #expect(talk.reinvites.map(\.number) == [2] && talk.offersRefresh && talk.awaitsByeAnswer && talk.hasAnsweredChallenge)
    let aftermath = try #require(Call(record: Self.golden("call-aftermath")).aftermath)
    #expect(aftermath == Aftermath(why: .callerHungUp, underWay: [Stage.device("b"), Stage.device("c")]))
    let refused = try Call(record: Self.golden("call-refused"))
    #expect(refused.refused == 603 && refused.missedOn == [DeviceLine(device: Stage.device("b"), line: .two)])
  }

  private static func golden(_ name: String) throws -> Bytes {
    try Golden(name, example: #require(examples().first { $0.0 == name }).1.record).bytes
  }

  /// One of each kind, with all its fields.
  static func examples() throws -> [(String, Call)] {
    let ringing = try CallSample.ringing(["a", "b", "c"])
    var held = ringing
    held.held?.rings = [Stage.device("a"): .announced, Stage.device("b"): .intended, Stage.device("c"): .tokenGone]
    held.held?.fetched = [Stage.device("a"): .two]
    held.held?.claim = .init(device: Stage.device("a"), until: CallSample.now + .seconds(5))
    held.held?.kept = [Stage.device("a"): Array(Leg.sdp("phone-a").utf8)]
    var answered = try CallSample.confirmed(line: .two)
    answered.talk?.reinvites = [.init(transaction: ringing.transaction, number: 2)]
    answered.talk?.feed.lastSequence = 3
    answered.talk?.feed.events = [
      Event(seq: 2, kind: .offer(id: "o1", sdp: "v=0")), Event(seq: 3, kind: .ended(.sessionExpired)),
    ]
    answered.talk?.offersRefresh = true
    answered.talk?.awaitsByeAnswer = true
    answered.talk?.hasAnsweredChallenge = true
    var aftermath = ringing
    aftermath.held = nil
    aftermath.aftermath = Aftermath(why: .callerHungUp, underWay: [Stage.device("b"), Stage.device("c")])
    var refused = ringing
    refused.held = nil
    refused.refused = 603
    refused.missedOn = [DeviceLine(device: Stage.device("b"), line: .two)]
    return [("call-ringing", held), ("call-answered", answered), ("call-aftermath", aftermath), ("call-refused", refused)]
  }

  @Test func goldenMemory() throws {
    let lines = [DeviceLine(device: Stage.device("a"), line: .one), DeviceLine(device: Stage.device("b"), line: .two)]
    let memory = LineMemory(fates: [lines[0]: .missed, lines[1]: .ended], until: CallSample.now)
    let golden = try Golden("line-memory", example: memory.record)
    #expect(try LineMemory(record: golden.bytes) == memory && memory.record == golden.bytes)
    #expect(throws: RecordError.self) { try Call(record: golden.bytes) }
    #expect(throws: RecordError.self) { try LineMemory(record: CallSample.ringing().record) }
  }

  @Test func whatTheNextVersionAddsIsSkipped() throws {
    var writer = RecordWriter()
    writer.write(99, "later")
    let call = try CallSample.confirmed()
    #expect(try Call(record: call.record + writer.bytes) == call.asStored)
    var feed = StatusFeed()
    feed.events = [Event(seq: 1, kind: .other(type: "later"))]
    #expect(try StatusFeed(record: feed.record) == feed)
  }

  @Test func whatIsMissingIsSaid() throws {
    #expect(throws: RecordError.missing(field: 3)) { try Call(record: []) }
    var writer = RecordWriter()
    writer.write(3, try Draft(method: "BYE", uri: "sip:a@b", fields: [("Call-ID", "x")]).request)
    writer.write(2, Bytes(repeating: 1, count: 16))
    #expect(throws: RecordError.malformed) { try Call(record: writer.bytes) }
  }

  /// Whatever was read can go on, and ends.
  @Test func spoiltCallsDoNotTrap() throws {
    var spoiler = Spoiler(seed: 1)
    for (_, call) in try Self.examples() {
      let whole = call.record
      for count in whole.indices { _ = try? Call(record: whole.prefix(count)) }
      #expect(throws: RecordError.self) { try Call(record: whole.dropLast()) }
      for seed in 0..<1000 {
        guard var read = try? Call(record: spoiler.spoil(whole)) else { continue }
        var random = SeededRandom(seed: UInt64(seed))
        _ = read.adopted(now: CallSample.now)
        for step in 0..<6 { try CallSample.anything(&read, step, &random) }
        _ = read.deadlineReached(now: .distantFuture)
        _ = read.record
      }
    }
  }

  /// What the store has to hold: a typical INVITE has 900 bytes.
  @Test func sizes() throws {
    let ringing = try CallSample.ringing(["a", "b", "c"], padding: 416)
    #expect((880...920).contains(ringing.invite.message.raw.count))
    #expect(ringing.record.count - ringing.invite.message.raw.count < 260)
    let answered = try CallSample.confirmed(padding: 416)
    #expect(answered.record.count - answered.invite.message.raw.count < 420)
  }
}

extension Call {
  /// Without what belongs to one process or to one node.
  var asStored: Call {
    var call = self
    call.addresses = [:]
    call.cancel = nil
    call.held?.waiting = []
    call.talk?.feed.readers = []
    call.talk?.adoption = nil
    if case .unconfirmed(_, let ending) = call.talk?.phase { call.talk?.phase = .unconfirmed(requests: [], ending: ending) }
    return call
  }
}
