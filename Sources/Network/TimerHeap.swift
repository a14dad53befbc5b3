internal import Primitives

/// A binary heap of timers by deadline, then by order of making. Every timer knows its place, so that cancelling takes it out.
@LoopActor
struct TimerHeap {
  private var timers: [LoopTimer] = []

  var first: LoopTimer? { timers.first }
  var count: Int { timers.count }

  mutating func insert(_ timer: LoopTimer) {
    timer.position = timers.count
    timers.append(timer)
    rise(from: timers.count - 1)
  }

  mutating func remove(_ timer: LoopTimer) {
    guard let hole = timer.position else { return }
    timer.position = nil
    let last = timers.removeLast()
    guard hole < timers.count else { return }
    place(last, at: hole)
    rise(from: hole)
    sink(from: hole)
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { return }
      exchange(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      let left = parent * 2 + 1
      guard left < timers.count else { return }
      let smaller = left + 1 < timers.count && isBefore(left + 1, left) ? left + 1 : left
      guard isBefore(smaller, parent) else { return }
      exchange(smaller, parent)
      parent = smaller
    }
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (timers[one].deadline, timers[one].order) < (timers[other].deadline, timers[other].order)
  }

  private mutating func exchange(_ one: Int, _ other: Int) {
    let timer = timers[one]
    place(timers[other], at: one)
    place(timer, at: other)
  }

  private mutating func place(_ timer: LoopTimer, at position: Int) {
    timers[position] = timer
    timer.position = position
  }
}
