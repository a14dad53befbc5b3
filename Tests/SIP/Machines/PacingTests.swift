import Primitives
import Testing

@testable import SIP

struct PacingTests {
  private typealias Pace = Pacing<Int>

  @Test func aBurstThenOneByOne() {
    var pacing = Pace(limits: .init(perSecond: 10, burst: 2, inFlight: 10), now: .zero)
    #expect(pacing.request(1, now: .zero) == [.start(1)])
    #expect(pacing.request(2, now: .zero) == [.start(2)])
    #expect(pacing.request(3, now: .zero) == [.wake(at: .ms(100))])
    #expect(pacing.request(3, now: .ms(50)) == [.wake(at: .ms(100))])
    #expect(pacing.request(4, isUrgent: true, now: .ms(50)) == [.wake(at: .ms(100))])
    #expect(pacing.deadlineReached(now: .ms(100)) == [.start(4), .wake(at: .ms(200))])
    #expect(pacing.deadlineReached(now: .ms(200)) == [.start(3)])
    #expect(pacing.waitingCount == 0)
  }

  @Test func onlySoManyAtOnce() {
    var pacing = Pace(limits: .init(perSecond: 100, burst: 10, inFlight: 2), now: .zero)
    #expect((1...4).flatMap { pacing.request($0, now: .zero) } == [.start(1), .start(2)])
    #expect(pacing.finished(1, now: .ms(5)) == [.start(3)])
    #expect(pacing.withdraw(4, now: .ms(6)) == [])
    #expect(pacing.finished(2, now: .ms(7)) == [] && pacing.inFlightCount == 1)
  }

  @Test func aPauseIsForEverybody() {
    var pacing = Pace(limits: .init(), now: .zero)
    pacing.pause(until: .ms(120_000), askedOf: 7)
    #expect(pacing.request(1, now: .ms(10)) == [.wake(at: .ms(120_000))])
    #expect(pacing.deadlineReached(now: .ms(120_000)) == [.start(1)])
  }

  @Test func anAccountThatIsNeverServedKeepsNobodyWaiting() {
    var pacing = Pace(limits: .init(), now: .zero)
    pacing.accepted(1)
    pacing.pause(until: .ms(60_000), askedOf: 1)
    #expect(pacing.request(2, now: .ms(10)) == [.wake(at: .ms(60_000))], "nobody else was accepted")
    #expect(pacing.deadlineReached(now: .ms(60_000)) == [.start(2)])
    pacing.accepted(2)
    pacing.pause(until: .ms(120_000), askedOf: 1)
    pacing.pause(until: .ms(180_000), askedOf: 1)
    #expect(pacing.request(3, now: .ms(60_001)) == [.start(3)])
    // The next one too: it is the provider.
    pacing.pause(until: .ms(120_000), askedOf: 3)
    #expect(pacing.request(4, now: .ms(60_002)) == [.wake(at: .ms(120_000))])
  }

  @Test func whoWasServedAgainSpeaksForAllAgain() {
    var pacing = Pace(limits: .init(), now: .zero)
    pacing.accepted(2)
    pacing.pause(until: .ms(60_000), askedOf: 1)
    pacing.accepted(1)
    pacing.pause(until: .ms(90_000), askedOf: 1)
    #expect(pacing.request(2, now: .ms(10)) == [.wake(at: .ms(90_000))])
  }

  @Test func tenThousandAccountsTakeTheirTime() {
    var pacing = Pace(limits: .init(perSecond: 50, burst: 50, inFlight: 10_000), now: .zero)
    var started: [Int] = []
    var now = Instant.zero
    var actions = (0..<10_000).flatMap { pacing.request($0, now: .zero) }
    while true {
      started += actions.compactMap { if case .start(let account) = $0 { account } else { nil } }
      guard case .wake(let at)? = actions.last else { break }
      now = at
      actions = pacing.deadlineReached(now: now)
    }
    #expect(started == Array(0..<10_000))
    #expect(now == .ms(199_000))
  }

  private func target(_ port: UInt16) -> Target { Target(transport: .udp, address: SocketAddress(ip: .loopbackIPv4, port: port)) }

  @Test func deadTargetsAreLeftAloneThenProbedOnce() {
    var grey = GreyList()
    let (one, two) = (target(1), target(2))
    grey.failed(one, now: .zero)
    grey.failed(one, now: .ms(10))
    #expect(grey.usable([one, two], now: .ms(29_999)) == [two])
    #expect(grey.usable([one, two], now: .ms(30_000)) == [one, two])
    #expect(grey.usable([one, two], now: .ms(30_001)) == [two])
    grey.failed(one, now: .ms(31_000))
    #expect(grey.usable([one, two], now: .ms(90_999)) == [two])
    #expect(grey.usable([one, two], now: .ms(91_000)) == [one, two])
    grey.answered(one)
    #expect(grey.usable([one, two], now: .ms(91_001)) == [one, two])
  }

  @Test func aProviderIsNeverGivenUp() {
    var grey = GreyList()
    grey.failed(target(1), now: .ms(5))
    grey.failed(target(2), now: .zero)
    #expect(grey.usable([target(1), target(2)], now: .ms(10)) == [target(2)])
    #expect(grey.usable([], now: .ms(10)) == [])
  }
}
