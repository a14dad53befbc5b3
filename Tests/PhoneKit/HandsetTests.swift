import Endpoints
import PhoneContract
import PhoneKit
import Primitives
import Testing

/// What a phone does, input by input.
@Suite struct HandsetTests {
  private static let ann = Announcement.call(at: .ms(1), number: "+4930123456", name: "Ann")
  private static let lost = PhoneError.transport(.unknown(.connectionLost))

  private func stop(_ why: StopReason) -> Announcement { .stop(at: .ms(2), why: why) }

  private func problem(_ name: Problem.Name) -> PhoneError { .problem(Problem(name)) }

  private func ended(_ why: EndReason, seq: Int = 1) -> StatusReply { StatusReply(next: seq, events: [Event(seq: seq, kind: .ended(why))]) }

  private func ringing() -> Handset {
    var handset = Handset()
    _ = handset.announced(Self.ann)
    return handset
  }

  private func talking() -> Handset {
    var handset = ringing()
    _ = handset.answer()
    _ = handset.fetched(.success(FetchReply(line: .one, offer: "v=0")))
    _ = handset.answered(.success(AnswerReply(sdp: nil)))
    return handset
  }

  @Test func aCallIsAnsweredAndTheCallerHangsUp() {
    var handset = Handset()
    #expect(handset.announced(Self.ann) == [.show(.rings(number: "+4930123456", name: "Ann"))])
    #expect(handset.answer() == [.fetch])
    #expect(handset.fetched(.success(FetchReply(line: .one, offer: "v=0"))) == [.show(.fetched(offer: "v=0")), .answer(offer: "v=0")])
    #expect(handset.answered(.success(AnswerReply(sdp: nil))) == [.show(.up(sdp: nil)), .watch(after: 0, pause: .zero)])
    #expect(handset.watched(.success(StatusReply(next: 0, events: []))) == [.watch(after: 0, pause: .zero)])
    #expect(handset.watched(.success(ended(.hungUp))) == [.show(.over(.ended(.hungUp)))])
    #expect(handset.state == .idle)
  }

  @Test func thePhoneHangsUp() {
    var handset = talking()
    #expect(handset.hangUp() == [.hangUp])
    #expect(handset.hangUp() == [])
    #expect(handset.watched(.success(ended(.hungUp))) == [])
    #expect(handset.hungUp(.success(())) == [.show(.over(.ended(.hungUp)))])
  }

  @Test func theUserDeclines() {
    var handset = ringing()
    #expect(handset.decline() == [.decline])
    #expect(handset.answer() == [])
    #expect(handset.declined(.success(())) == [.show(.over(.declined))])
    #expect(handset.state == .idle)
  }

  @Test func anOfferWithNothingToAnswerIsDeclined() {
    var handset = ringing()
    _ = handset.answer()
    _ = handset.fetched(.success(FetchReply(line: .one, offer: "v=0")))
    #expect(handset.decline() == [.decline])
    #expect(handset.declined(.failure(problem(.nothingHeld))) == [.show(.over(.failed(problem(.nothingHeld))))])
  }

  @Test(arguments: StopReason.allCases) func itStopsRinging(_ why: StopReason) {
    var handset = ringing()
    #expect(handset.announced(stop(why)) == [.show(.over(.stopped(why)))])
    #expect(handset.answer() == [])
    #expect(handset.announced(stop(why)) == [])
  }

  @Test func aStopWhileItFetchesWins() {
    var handset = ringing()
    _ = handset.answer()
    #expect(handset.announced(stop(.answeredElsewhere)) == [.show(.over(.stopped(.answeredElsewhere)))])
    #expect(handset.fetched(.success(FetchReply(line: .one, offer: nil))) == [])
  }

  /// The server's reply to the answer says which of the two came first.
  @Test func aStopWhileItAnswersWaitsForTheReply() {
    var handset = ringing()
    _ = handset.answer()
    _ = handset.fetched(.success(FetchReply(line: .one, offer: nil)))
    #expect(handset.announced(stop(.callerHungUp)) == [])
    #expect(handset.answered(.failure(problem(.callEnded))) == [.show(.over(.failed(problem(.callEnded))))])
  }

  @Test func aFetchThatComesTooLateEndsIt() {
    var handset = ringing()
    _ = handset.answer()
    #expect(handset.fetched(.failure(problem(.nothingHeld))) == [.show(.over(.failed(problem(.nothingHeld))))])
    #expect(handset.state == .idle)
  }

  @Test func anotherCallIsOnlyShown() {
    var handset = talking()
    #expect(handset.announced(.call(at: .ms(9), number: nil, name: nil)) == [.show(.waiting(number: nil, name: nil))])
    #expect(handset.state == .talking(next: 0))
    #expect(handset.announced(stop(.timedOut)) == [])
  }

  /// The stop of the first one was lost on its way.
  @Test func aNewCallTakesThePlaceOfOneThatRings() {
    var handset = ringing()
    #expect(handset.announced(.call(at: .ms(9), number: "1", name: nil)) == [.show(.rings(number: "1", name: nil))])
    #expect(handset.answer() == [.fetch])
  }

  @Test func offersAreAnsweredAndTheNextStatusComesAfterThem() {
    var handset = talking()
    let events = [Event(seq: 1, kind: .offer(id: "o", sdp: nil)), Event(seq: 2, kind: .other(type: "new"))]
    #expect(
      handset.watched(.success(StatusReply(next: 2, events: events))) == [.answerOffer(id: "o", sdp: nil), .watch(after: 2, pause: .zero)])
    #expect(handset.state == .talking(next: 2))
  }

  @Test func aLostStatusIsAskedAgainAndNotForEver() {
    var handset = talking()
    for _ in 1..<30 { #expect(handset.watched(.failure(Self.lost)) == [.watch(after: 0, pause: .seconds(1))]) }
    #expect(handset.watched(.failure(Self.lost)) == [.show(.over(.failed(Self.lost)))])
  }

  @Test func oneStatusThatComesMakesUpForThoseThatDidNot() {
    var handset = talking()
    for _ in 1..<30 { _ = handset.watched(.failure(Self.lost)) }
    #expect(handset.watched(.success(StatusReply(next: 0, events: []))) == [.watch(after: 0, pause: .zero)])
    #expect(handset.watched(.failure(Self.lost)) == [.watch(after: 0, pause: .seconds(1))])
  }

  @Test func aCallThatTheServerDoesNotKnowIsOver() {
    var handset = talking()
    #expect(handset.watched(.failure(problem(.noCall))) == [.show(.over(.ended(nil)))])
  }

  @Test func keysWithoutACallDoNothing() {
    var handset = Handset()
    #expect(handset.answer() + handset.decline() + handset.hangUp() == [])
    #expect(handset.fetched(.failure(Self.lost)) + handset.answered(.failure(Self.lost)) + handset.watched(.failure(Self.lost)) == [])
    #expect(handset.hungUp(.success(())) + handset.declined(.failure(Self.lost)) == [])
  }

  @Test func nothingPersonalShows() {
    let action = Handset.Action.show(.rings(number: "+4930123456", name: "Ann"))
    #expect(!"\(action)\(String(reflecting: action))".contains("Ann"))
  }
}
