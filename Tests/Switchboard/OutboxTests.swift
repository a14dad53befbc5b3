import Primitives
import Store
import Testing

@testable import Switchboard

@Suite struct OutboxTests {
  private let one = Stage.device("a")
  private let two = Stage.device("b")

  @Test func whatWaitsIsDoneOnceItsRecordIsThere() {
    var outbox = Outbox(actions: [.respond(180), .announce([one])])
    outbox.recordLeft()
    outbox.add([.withdraw(two)])
    #expect(outbox.take() == [.respond(180), .announce([one]), .withdraw(two)])
    #expect(outbox.actions.isEmpty)
  }

  @Test func aFinalResponseThatCameLaterWaitsForItsOwn() {
    var outbox = Outbox(actions: [.respond(180)])
    outbox.recordLeft()
    outbox.add([.respond(487), .releaseHeld])
    outbox.unheardSince = .zero
    #expect(outbox.take() == [.respond(180)])
    #expect(outbox.actions == [.respond(487), .releaseHeld] && outbox.unheardSince == nil)
    outbox.recordLeft()
    #expect(outbox.take() == [.respond(487), .releaseHeld])
  }

  @Test func anAnnouncementThatIsWithdrawnDoesNotLeave() {
    var outbox = Outbox(actions: [.respond(180), .announce([one, two])])
    outbox.recordLeft()
    outbox.add([.respond(487), .withdraw(one)])
    #expect(outbox.withdrawUnsent() == [one])
    #expect(outbox.take() == [.respond(180), .announce([two])])
    #expect(outbox.actions == [.respond(487)])
  }

  @Test func whatHasLeftIsWithdrawnElsewhere() {
    var outbox = Outbox(actions: [.respond(487), .withdraw(one)])
    #expect(outbox.withdrawUnsent() == [])
    #expect(outbox.takeAll() == [.respond(487), .withdraw(one)])
  }
}
