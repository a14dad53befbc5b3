import Primitives
import Testing

@testable import Switchboard

@Suite struct TrialLimitTests {
  @Test func anAccountHasOneInTenSeconds() {
    var limit = TrialLimit()
    #expect(limit.begin(last: nil, now: .ms(1000)) == nil)
    #expect(limit.begin(last: .ms(1000), now: .ms(4000)) == .seconds(7))
    #expect(limit.begin(last: .ms(1000), now: .ms(11_000)) == nil)
  }

  @Test func allTogetherHaveALimit() {
    var limit = TrialLimit()
    for _ in 0..<50 { #expect(limit.begin(last: nil, now: .ms(1000)) == nil) }
    #expect(limit.begin(last: nil, now: .ms(1000)) == .milliseconds(100))
    #expect(limit.begin(last: nil, now: .ms(1100)) == nil)
    #expect(limit.begin(last: nil, now: .ms(1100)) == .milliseconds(100))
  }
}
