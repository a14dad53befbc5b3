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
    #expect(first == [.renewToken, .send(one, within: .seconds(5))])
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

  @Test func theTokenIsRenewedInTime() {
    var machine = machine()
    #expect(machine.submitted(now: .zero).1.first == .renewToken)
    #expect(machine.submitted(now: .zero + .seconds(45 * 60 - 1)).1.first != .renewToken)
    #expect(machine.submitted(now: .zero + .seconds(45 * 60)).1.first == .renewToken)
    #expect(machine.submitted(now: .zero + .seconds(60 * 60)).1.first != .renewToken)
  }

  @Test func anExpiredTokenIsRenewedOnceForAll() {
    var machine = machine()
    let (one, _) = machine.submitted(now: .zero)
    let (two, _) = machine.submitted(now: .zero)
    #expect(machine.answered(one, Self.expired, now: .ms(1)) == [.renewToken, .send(one, within: .seconds(5))])
    #expect(machine.answered(two, Self.expired, now: .ms(2)) == [.send(two, within: .seconds(5))])
    #expect(machine.answered(one, Self.expired, now: .ms(3)) == [.finish(one, .refused(.configuration))], "the clock is wrong")
    #expect(machine.answered(two, APNsAnswer(status: 200), now: .ms(4)) == [.finish(two, .accepted)])
    let later = Instant.zero + .seconds(20 * 60) + .milliseconds(1)
    let (three, _) = machine.submitted(now: later)
    #expect(machine.answered(three, Self.expired, now: later).first == .renewToken)
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
