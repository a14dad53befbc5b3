import Primitives
import Testing

@testable import Push

@Suite struct APNsMachineTests {
  /// Delays without jitter would make all of these exact; with it they are at most what the limits say.
  func machine(_ limits: APNsMachine.Limits = .init()) -> APNsMachine { APNsMachine(random: SeededRandom(seed: 1), limits: limits) }

  static let busy = APNsAnswer(status: 503, reason: "ServiceUnavailable")
  static let expired = APNsAnswer(status: 403, reason: "ExpiredProviderToken")

  @Test func isSentOnceAndAccepted() {
    var machine = machine()
    let (one, first) = machine.submitted(now: .zero)
    #expect(first == [.useToken(issuedAt: .zero), .send(one, within: .seconds(5))])
    let (two, second) = machine.submitted(now: .ms(1))
    #expect(second == [.send(two, within: .seconds(5))])
    #expect(machine.answered(one, APNsAnswer(status: 200), now: .ms(2)) == [.finish(one, .accepted)])
    #expect(machine.answered(one, APNsAnswer(status: 200), now: .ms(3)) == [])
    #expect(machine.delayOver(one, now: .ms(5000)) == [])
    #expect(machine.answered(two, APNsAnswer(status: 410, since: .ms(1)), now: .ms(4)) == [.finish(two, .tokenGone(since: .ms(1)))])
  }

  @Test func withoutAnAnswerItIsNotSentAgain() {
    var machine = machine()
    let (number, _) = machine.submitted(now: .zero)
    #expect(machine.failed(number, .unknown, now: .ms(5000)) == [.finish(number, .unknown)])
    #expect(machine.failed(number, .notProcessed, now: .ms(5001)) == [])
  }

  @Test func whatWasNotProcessedIsSentAgainAtOnceAndThenSlower() {
    var machine = machine()
    let (number, _) = machine.submitted(now: .zero)
    #expect(machine.failed(number, .notProcessed, now: .ms(10)) == [.send(number, within: .seconds(5))])
    guard case .wake(number, let at)? = machine.failed(number, .notProcessed, now: .ms(20)).first else {
      Issue.record("does not wait")
      return
    }
    #expect((Instant.ms(120)...Instant.ms(220)).contains(at))
    #expect(machine.failed(number, .notProcessed, now: at) == [], "nothing is under way")
    #expect(machine.delayOver(number, now: at) == [.send(number, within: .seconds(5))])
  }

  @Test(arguments: [1, 2, 3]) func anEndComesWithinTheLifeOfThePush(seed: UInt64) {
    var machine = APNsMachine(random: SeededRandom(seed: seed))
    var (number, actions) = machine.submitted(now: .zero)
    var now = Instant.zero
    var sent = 0
    while case .send(number, _)? = actions.last, sent < 100 {
      sent += 1
      actions = machine.answered(number, Self.busy, now: now)
      guard case .wake(number, let at)? = actions.last else { break }
      now = at
      actions = machine.delayOver(number, now: now)
    }
    #expect(actions == [.finish(number, .unreachable)])
    #expect(now < .ms(10_000))
    #expect((4...8).contains(sent))
  }

  @Test func theServicesWishIsHeard() {
    var machine = machine()
    let (number, _) = machine.submitted(now: .zero)
    var answer = Self.busy
    answer.retryAfter = .seconds(4)
    #expect(machine.answered(number, answer, now: .ms(1)) == [.wake(number, at: .ms(4001))])
    #expect(machine.delayOver(number, now: .ms(4001)) == [.send(number, within: .seconds(5))])
    answer.retryAfter = .seconds(60)
    #expect(machine.answered(number, answer, now: .ms(4002)) == [.finish(number, .unreachable)])
  }

  @Test func theLastAnswerIsAwaitedNoLongerThanThePushLives() {
    var machine = machine()
    let (number, _) = machine.submitted(now: .zero)
    var answer = Self.busy
    answer.retryAfter = .seconds(9)
    _ = machine.answered(number, answer, now: .zero)
    #expect(machine.delayOver(number, now: .ms(9000)) == [.send(number, within: .seconds(1))])
  }

  private func clock(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  @Test func aTokenServesForItsSlot() {
    var machine = machine()
    func first(at seconds: Int64) -> APNsMachine.Action? {
      machine.clockShows(clock(seconds))
      return machine.submitted(now: .zero).1.first
    }
    #expect(first(at: 2400 * 7 + 1) == .useToken(issuedAt: clock(2400 * 7)))
    #expect(first(at: 2400 * 8 - 1) == .send(2, within: .seconds(5)))
    #expect(first(at: 2400 * 8) == .useToken(issuedAt: clock(2400 * 8)))
    #expect(first(at: 2400 * 8 - 1) == .useToken(issuedAt: clock(2400 * 7)), "the clock was set back")
  }

  @Test func anExpiredTokenGivesWayToOneOutOfTurnForAll() {
    var machine = machine()
    machine.clockShows(clock(2400 + 1234))
    let (one, _) = machine.submitted(now: .zero)
    let (two, _) = machine.submitted(now: .zero)
    let fresh = APNsMachine.Action.useToken(issuedAt: clock(2400 + 1200))
    #expect(machine.answered(one, Self.expired, now: .ms(1)) == [fresh, .send(one, within: .seconds(5))])
    #expect(machine.answered(two, Self.expired, now: .ms(2)) == [.send(two, within: .seconds(5))])
    #expect(machine.answered(one, Self.expired, now: .ms(3)) == [.finish(one, .refused(.configuration))], "the clock is wrong")
    #expect(machine.answered(two, APNsAnswer(status: 200), now: .ms(4)) == [.finish(two, .accepted)])
    machine.clockShows(clock(4800 + 1199))
    #expect(machine.submitted(now: .ms(5)).1 == [.send(3, within: .seconds(5))], "Apple would not take a new one so soon")
    machine.clockShows(clock(4800 + 1260))
    #expect(machine.submitted(now: .ms(6)).1.first == .useToken(issuedAt: clock(4800)))
  }

  @Test func inTheFirstMinuteOfASlotTheTokenOutOfTurnIsAnotherToo() {
    var machine = machine()
    machine.clockShows(clock(2459))
    let (number, _) = machine.submitted(now: .zero)
    #expect(machine.answered(number, Self.expired, now: .ms(1)).first == .useToken(issuedAt: clock(2340)))
  }

  @Test func aTokenWhoseSlotJustEndedIsNotOurClocksFault() {
    var machine = machine()
    machine.clockShows(clock(2399))
    let (number, _) = machine.submitted(now: .zero)
    machine.clockShows(clock(2400))
    #expect(machine.answered(number, Self.expired, now: .ms(1)).first == .useToken(issuedAt: clock(2400)))
    machine.clockShows(clock(2520))
    #expect(machine.answered(number, Self.expired, now: .ms(2)).first == .useToken(issuedAt: clock(2520)))
  }

  /// Another node, whose clock is fast, was in the next slot already.
  @Test func atABorderThePushIsSentAgain() {
    var machine = machine()
    let (number, _) = machine.submitted(now: .zero)
    let answer = APNsAnswer(status: 429, reason: "TooManyProviderTokenUpdates")
    guard case .wake(number, let at)? = machine.answered(number, answer, now: .zero).first else {
      Issue.record("does not wait")
      return
    }
    machine.clockShows(clock(2400))
    #expect(machine.delayOver(number, now: at) == [.useToken(issuedAt: clock(2400)), .send(number, within: .seconds(5))])
  }

  @Test func tooManyAreRefused() {
    var limits = APNsMachine.Limits()
    limits.pushes = 1
    var machine = machine(limits)
    let (one, _) = machine.submitted(now: .zero)
    let (two, actions) = machine.submitted(now: .zero)
    #expect(actions == [.finish(two, .overloaded)])
    _ = machine.answered(one, APNsAnswer(status: 200), now: .zero)
    #expect(machine.submitted(now: .zero).1.contains { if case .send = $0 { true } else { false } })
  }
}
