import Primitives

/// The deadlines of many owners, the earliest first: a binary heap. A deadline that has moved leaves its old entry behind, which
/// its reader skips; the heap is built anew when such entries outnumber the owners.
struct DeadlineQueue<Owner: Hashable & Sendable>: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    var due: Instant
    var owner: Owner
  }

  private var heap: [Entry] = []
  private var current: [Owner: Instant] = [:]

  var earliest: Instant? { heap.first?.due }
  var count: Int { current.count }

  /// `due` is the only deadline of `owner` from now on; nil: it has none.
  mutating func set(_ due: Instant?, for owner: Owner) {
    guard current[owner] != due else { return }
    current[owner] = due
    if let due { push(Entry(due: due, owner: owner)) }
    dropStaleTop()
    if heap.count > 64 + 2 * current.count { rebuild() }
  }

  /// The owner whose deadline is the earliest, when it is reached; its deadline is gone then.
  mutating func popDue(now: Instant) -> Owner? {
    guard let first = heap.first, first.due <= now else { return nil }
    removeTop()
    current[first.owner] = nil
    dropStaleTop()
    return first.owner
  }

  private mutating func dropStaleTop() {
    while let first = heap.first, current[first.owner] != first.due { removeTop() }
  }

  private mutating func rebuild() {
    heap = current.map { Entry(due: $0.value, owner: $0.key) }.sorted { $0.due < $1.due }
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0, heap[child].due < heap[(child - 1) / 2].due {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while let child = smallerChild(of: parent), heap[child].due < heap[parent].due {
      heap.swapAt(parent, child)
      parent = child
    }
  }

  private func smallerChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    guard left < heap.count else { return nil }
    let right = left + 1
    return right < heap.count && heap[right].due < heap[left].due ? right : left
  }
}
