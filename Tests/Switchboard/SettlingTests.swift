import Primitives
import Store
import Testing

@testable import Switchboard

@Suite struct SettlingTests {
  private let back = Instant.ms(10_000)
  private let others: Set<Holder>

  init() throws {
    others = [Holder(node: try #require(NodeID("b")), incarnation: 1), Holder(node: try #require(NodeID("c")), incarnation: 1)]
  }

  /// The store was away, is back, and slots are given again.
  private func settled() -> Settling {
    var settling = Settling()
    settling.storeWent(beside: others)
    settling.stage = .back(goesOn: back)
    let isOver = settling.hasEnded(now: back)
    #expect(isOver)
    return settling
  }

  @Test func slotsAreGivenBeforeAnythingIsDenied() {
    var settling = settled()
    #expect(settling.isSettled && !settling.isSure)
    for other in others {
      #expect(!settling.isSure)
      settling.hasSpoken(other.node, now: back)
    }
    #expect(settling.isSure)
  }

  @Test func whoIsNeverHeardIsNotWaitedForForEver() {
    var settling = settled()
    settling.hearsNobodyMore()
    #expect(settling.isSure)
  }

  @Test func whoWasUnheardBeforeTheStoreWentAgainStillIs() {
    var settling = settled()
    settling.storeWent(beside: [])
    settling.stage = .back(goesOn: back)
    let isOver = settling.hasEnded(now: back)
    #expect(isOver && !settling.isSure)
  }

  @Test func whatIsSaidBeforeTheStoreIsBackDoesNotCount() {
    var settling = Settling()
    settling.storeWent(beside: others)
    for other in others { settling.hasSpoken(other.node, now: back) }
    settling.stage = .back(goesOn: back)
    #expect(ends(settling, at: back))
    settling.stage = .settled
    #expect(!settling.isSure)
  }

  /// The others notice it a moment later.
  @Test func whatIsSaidBeforeItIsNoticedThatTheStoreIsEmptyDoesNotCount() {
    var settling = Settling()
    settling.storeBeganAnew(beside: others, now: back)
    for other in others { settling.hasSpoken(other.node, now: back + .milliseconds(500)) }
    #expect(!settling.isSure)
    for other in others { settling.hasSpoken(other.node, now: back + Settling.noticing) }
    #expect(settling.isSure)
  }

  @Test func whoAsksWhoseItsCallsAreIsWaitedForAWhile() throws {
    let asker = try #require(others.first)
    var settling = Settling()
    settling.stage = .back(goesOn: back)
    settling.hears(asker.node, isAsking: true, now: back)
    let later = back + .seconds(1)
    settling.hears(asker.node, isAsking: true, now: later)
    #expect(!ends(settling, at: later))
    #expect(ends(settling, at: back + Settling.longestAsked))
    var answered = settling
    answered.hears(asker.node, isAsking: false, now: later)
    #expect(ends(answered, at: later))
    settling.died(asker)
    #expect(ends(settling, at: later))
  }

  private func ends(_ settling: Settling, at now: Instant) -> Bool {
    var settling = settling
    return settling.hasEnded(now: now)
  }
}
