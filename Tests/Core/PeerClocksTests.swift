import Primitives
import Store
import Testing

@testable import Core

@Suite struct PeerClocksTests {
  private var clocks = PeerClocks()
  private let start = Instant.ms(1_764_480_000_000)

  /// What is sent at a time, by a clock that is some seconds behind, and comes so many milliseconds later.
  private mutating func delay(sent: Int64, after milliseconds: Int64, life: UInt64 = 1, behind: Int64 = 7) throws -> Duration {
    let sender = Holder(node: try #require(NodeID("b")), incarnation: life)
    let sent = start + .milliseconds(sent)
    return clocks.delay(of: Postmark(sender, at: sent - .seconds(behind)), now: sent + .milliseconds(milliseconds))
  }

  @Test mutating func whatIsLaterThanTheQuickestHasWaited() throws {
    #expect(try delay(sent: 0, after: 3) == .zero, "nothing to compare it with")
    #expect(try delay(sent: 500, after: 2) == .zero)
    #expect(try delay(sent: 1000, after: 6002) == .seconds(6))
    #expect(try delay(sent: 7000, after: 4) == .milliseconds(2))
  }

  @Test mutating func aConnectionThatIsStuckForLongHidesNothing() throws {
    _ = try delay(sent: 0, after: 2)
    #expect(try delay(sent: 4000, after: 9002) == .seconds(9), "the window before counts as well")
    #expect(try delay(sent: 12_000, after: 1002) == .seconds(1))
  }

  @Test mutating func aClockThatHasStoodStillIsBelievedAgain() throws {
    for second in Int64(0)..<10 { _ = try delay(sent: second * 1000, after: 2) }
    #expect(try delay(sent: 10_000, after: 2, behind: 9) == .seconds(2))
    for second in Int64(11)..<30 { _ = try delay(sent: second * 1000, after: 2, behind: 9) }
    #expect(try delay(sent: 31_000, after: 2, behind: 9) == .zero)
  }

  @Test mutating func eachLifeHasItsClock() throws {
    _ = try delay(sent: 0, after: 2)
    #expect(try delay(sent: 1000, after: 2, life: 2, behind: 3600) == .zero)
    #expect(try delay(sent: 2000, after: 502, life: 2, behind: 3600) == .milliseconds(500))
  }
}
