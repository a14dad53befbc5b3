/// Remembers numbers that only grow, and says by how much they grew in each of the last intervals.
struct RateHistory<Name: CaseIterable & Hashable & Sendable>: Sendable {
  /// Intervals that are remembered.
  let limit: Int
  private var last: [Name: Int]?
  private var counts: [Name: [Int]] = [:]

  init(limit: Int) { self.limit = limit }

  /// The first sample is only where the counting begins.
  mutating func sample(_ totals: [Name: Int]) {
    defer { last = totals }
    guard let last else { return }
    for name in Name.allCases {
      var list = counts[name, default: []]
      if list.count == limit { list.removeFirst() }
      list.append((totals[name] ?? 0) - (last[name] ?? 0))
      counts[name] = list
    }
  }

  /// Oldest first; fewer than `limit` in the beginning.
  subscript(name: Name) -> [Int] { counts[name] ?? [] }
}
