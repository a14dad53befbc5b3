import Primitives
import Testing

@testable import Switchboard

@Suite struct TrialLimitTests {
  @Test func anAccountHasThreeAndThenOneInTenSeconds() {
    var limit = TrialLimit.ofAccount
    for _ in 0..<3 {
      #expect(limit.pause(now: .ms(1000)) == nil)
      limit.begin(now: .ms(1000))
    }
    #expect(limit.pause(now: .ms(4000)) == .seconds(7))
    #expect(limit.pause(now: .ms(11_000)) == nil)
    limit.begin(now: .ms(11_000))
    #expect(limit.pause(now: .ms(11_000)) == .seconds(10))
  }

  @Test func allTogetherHaveALimit() {
    var limit = TrialLimit.ofNode
    for _ in 0..<50 { limit.begin(now: .ms(1000)) }
    #expect(limit.pause(now: .ms(1000)) == .milliseconds(100))
    #expect(limit.pause(now: .ms(1100)) == nil)
  }
}
