import Primitives
import Testing
import TestKit

@testable import Network

@LoopActor
@Suite struct LoopTests {
  @Test func timersRunInTheOrderOfTheirDeadlinesAndCancelledOnesDoNot() async {
    let done = Once<[Int]>()
    let start = Loop.now()
    var random = SeededRandom(seed: 7)
    var fired: [Int] = []
    var timers: [(delay: Int, timer: LoopTimer)] = []
    for _ in 0..<10_000 {
      let delay = Int.random(in: 0...50, using: &random)
      timers.append((delay, Loop.at(start + .milliseconds(delay)) { fired.append(delay) }))
    }
    for index in stride(from: 0, to: timers.count, by: 3) { timers[index].timer.cancel() }
    Loop.at(start + .milliseconds(51)) { done.came(fired) }
    let expected = timers.enumerated().filter { $0.offset % 3 != 0 }.map(\.element.delay).sorted()
    #expect(await done.wait() == expected)
  }

  @Test func timersOfOneDeadlineRunInTheOrderOfMaking() async {
    let done = Once<[Int]>()
    let deadline = Loop.now() + .milliseconds(5)
    var fired: [Int] = []
    for number in 0..<100 { Loop.at(deadline) { fired.append(number) } }
    Loop.at(deadline) { done.came(fired) }
    #expect(await done.wait() == Array(0..<100))
  }

  @Test func aTimerMayCancelOneThatIsDueWithIt() async {
    let done = Once<Bool>()
    let deadline = Loop.now() + .milliseconds(1)
    var second: LoopTimer?
    var hasRun = false
    Loop.at(deadline) { second?.cancel() }
    second = Loop.at(deadline) { hasRun = true }
    Loop.at(deadline) { done.came(hasRun) }
    #expect(await done.wait() == false)
  }

  @Test func heapKeepsItsOrderWhenTimersAreTakenOut() {
    let timers = LoopTimers()
    var heap = TimerHeap()
    var random = SeededRandom(seed: 1)
    var all = (0..<500).map { order in
      LoopTimer(.ms(Int64.random(in: 0...100, using: &random)), order: UInt64(order), timers: timers) {}
    }
    for timer in all { heap.insert(timer) }
    all.shuffle(using: &random)
    for timer in all.prefix(250) { heap.remove(timer) }
    var deadlines: [Instant] = []
    while let first = heap.first {
      deadlines.append(first.deadline)
      heap.remove(first)
    }
    #expect(deadlines == all.dropFirst(250).map(\.deadline).sorted())
  }

  @Test func whatRunsOnTheLoopIsIsolated() async {
    LoopActor.shared.assertIsolated()
    let value = await withCheckedContinuation { continuation in
      Loop.soon { continuation.resume(returning: LoopActor.assumeIsolated { 5 }) }
    }
    #expect(value == 5)
  }

  @Test func jobsFromManyThreadsAllRun() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<500 {
        group.addTask { await LoopTests.count() }
      }
    }
    #expect(Self.counter == 500)
  }

  private static var counter = 0
  private static func count() { counter += 1 }

  @Test func signalsArrive() async throws {
    let got = Once<Bool>()
    try Loop.onSignal(10) { got.came(true) }
    raiseUserSignal()
    #expect(await got.wait() == true)
  }
}
