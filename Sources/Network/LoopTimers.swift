internal import CLibUV
public import Primitives

/// A body that the loop will run at a deadline.
@LoopActor
public final class LoopTimer {
  public let deadline: Instant
  let order: UInt64
  /// Where it lies in the heap; nil when it ran or was cancelled.
  var position: Int?
  private var body: (@LoopActor () -> Void)?
  private weak var timers: LoopTimers?

  init(_ deadline: Instant, order: UInt64, timers: LoopTimers, _ body: @escaping @LoopActor () -> Void) {
    self.deadline = deadline
    self.order = order
    self.timers = timers
    self.body = body
  }

  /// After this the body does not run. Cancelling again, or after the body ran, does nothing.
  public func cancel() {
    body = nil
    timers?.remove(self)
  }

  func fire() {
    let body = self.body
    self.body = nil
    body?()
  }
}

/// All timers of the loop: a heap, and one libuv timer that waits for its first.
@LoopActor
final class LoopTimers {
  private var heap = TimerHeap()
  private var made: UInt64 = 0
  private var armedFor: Instant?
  private var handle: UVHandle?

  init() {
    handle = unsafe try? UVHandle(owner: self) { unsafe uv_timer_init($0, $1) }
  }

  func start(_ deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    made += 1
    let timer = LoopTimer(deadline, order: made, timers: self, body)
    heap.insert(timer)
    arm()
    return timer
  }

  /// The libuv timer stays as it is: it wakes once for nothing at most.
  func remove(_ timer: LoopTimer) { heap.remove(timer) }

  private func arm() {
    guard let handle, let first = heap.first, armedFor.map({ first.deadline < $0 }) ?? true else { return }
    armedFor = first.deadline
    unsafe uv_update_time(LoopActor.shared.executor.loop)
    let delay = first.deadline - Loop.now()
    // At least 1: libuv runs a timer of 0 again and again within one turn.
    let milliseconds = max(1, (delay.nanoseconds + 999_999) / 1_000_000)
    _ = unsafe uv_timer_start(
      handle.timer, { handle in unsafe enterLoop(handle, as: LoopTimers.self) { $0.fired() } }, UInt64(milliseconds), 0)
  }

  private func fired() {
    armedFor = nil
    let now = Loop.now()
    var due: [LoopTimer] = []
    while let first = heap.first, first.deadline <= now {
      heap.remove(first)
      due.append(first)
    }
    for timer in due { timer.fire() }
    arm()
  }
}
