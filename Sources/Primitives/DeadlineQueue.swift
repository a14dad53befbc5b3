/// The deadlines of many owners, the earliest first: a binary heap. A deadline that has moved leaves its old entry behind, which
/// its reader skips; the heap is built anew when such entries outnumber the owners.
///
/// `@inlinable`, so that other modules get it for their own owners: called through the generic form it cost 6 % of a held call.
public struct DeadlineQueue<Owner: Hashable & Sendable>: Sendable, Equatable {
  @usableFromInline
  struct Entry: Sendable, Equatable {
    @usableFromInline var due: Instant
    @usableFromInline var owner: Owner

    @inlinable
    init(due: Instant, owner: Owner) {
      self.due = due
      self.owner = owner
    }
  }

  @usableFromInline var heap: [Entry] = []

  @usableFromInline var current: [Owner: Instant] = [:]

  @inlinable
  public init() {}

  @inlinable
  public var earliest: Instant? { heap.first?.due }

  @inlinable
  public var count: Int { current.count }

  /// `due` is the only deadline of `owner` from now on; nil: it has none.
  @inlinable
  public mutating func set(_ due: Instant?, for owner: Owner) {
    guard current[owner] != due else { return }
    current[owner] = due
    if let due { push(Entry(due: due, owner: owner)) }
    dropStaleTop()
    if heap.count > 64 + 2 * current.count { rebuild() }
  }

  /// The owner whose deadline is the earliest, when it is reached; its deadline is gone then.
  @inlinable
  public mutating func popDue(now: Instant) -> Owner? {
    guard let first = heap.first, first.due <= now else { return nil }
    removeTop()
    current[first.owner] = nil
    dropStaleTop()
    return first.owner
  }

  @inlinable
  mutating func dropStaleTop() {
    while let first = heap.first, current[first.owner] != first.due { removeTop() }
  }

  @inlinable
  mutating func rebuild() {
    heap = current.map { Entry(due: $0.value, owner: $0.key) }.sorted { $0.due < $1.due }
  }

  @inlinable
  mutating func push(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0, heap[child].due < heap[(child - 1) / 2].due {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  @inlinable
  mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while let child = smallerChild(of: parent), heap[child].due < heap[parent].due {
      heap.swapAt(parent, child)
      parent = child
    }
  }

  @inlinable
  func smallerChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    guard left < heap.count else { return nil }
    let right = left + 1
    return right < heap.count && heap[right].due < heap[left].due ? right : left
  }
}
