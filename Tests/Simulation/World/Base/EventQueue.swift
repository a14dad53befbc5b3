import Primitives

/// What will happen, the earliest first; of two at the same moment the one that was foreseen first.
struct EventQueue<Event> {
  private struct Entry {
    let at: Int64
    let order: UInt64
    let slot: Int

    static func < (left: Entry, right: Entry) -> Bool { left.at == right.at ? left.order < right.order : left.at < right.at }
  }

  private var heap: [Entry] = []
  private var slots: [Event?] = []
  private var free: [Int] = []
  private var lastOrder: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }

  mutating func add(_ event: Event, at moment: Instant) {
    lastOrder += 1
    let slot: Int
    if let used = free.popLast() {
      slot = used
      slots[slot] = event
    } else {
      slot = slots.count
      slots.append(event)
    }
    heap.append(Entry(at: moment.nanoseconds, order: lastOrder, slot: slot))
    rise(heap.count - 1)
  }

  mutating func next() -> (Instant, Event)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    free.append(first.slot)
    guard let event = slots[first.slot] else { return nil }
    slots[first.slot] = nil
    return (Instant(nanoseconds: first.at), event)
  }

  private mutating func rise(_ start: Int) {
    var child = start
    let entry = heap[child]
    while child > 0 {
      let parent = (child - 1) / 2
      guard entry < heap[parent] else { break }
      heap[child] = heap[parent]
      child = parent
    }
    heap[child] = entry
  }

  private mutating func sink() {
    var parent = 0
    let entry = heap[0]
    while true {
      var child = parent * 2 + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < entry else { break }
      heap[parent] = heap[child]
      parent = child
    }
    heap[parent] = entry
  }
}
