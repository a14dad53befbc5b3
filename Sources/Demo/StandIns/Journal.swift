import Network

/// What happened, in order, and those who wait for something of it to happen.
@LoopActor
final class Journal<Entry: Sendable> {
  private struct Waiter {
    let fits: (Entry) -> Bool
    let continuation: CheckedContinuation<Entry?, Never>
    let timer: LoopTimer
  }

  /// More entries than that, and the older half is forgotten: a stand-in may serve a load test for hours.
  private static var limit: Int { 100_000 }

  /// Called with each entry.
  var onEntry: (@LoopActor (Entry) -> Void)?

  /// The latest of all that happened.
  private(set) var entries: [Entry] = []
  private var forgotten = 0
  private var waiters: [Int: Waiter] = [:]
  private var waited = 0

  /// How many there have ever been: where a wait for what comes next starts.
  var count: Int { forgotten + entries.count }

  func add(_ entry: Entry) {
    if entries.count >= Self.limit {
      entries.removeFirst(Self.limit / 2)
      forgotten += Self.limit / 2
    }
    entries.append(entry)
    onEntry?(entry)
    for number in waiters.filter({ $0.value.fits(entry) }).keys.sorted() { resume(number, entry) }
  }

  /// The first entry that fits, of those that are there from `start` on or of those that come.
  ///
  /// Throws what was expected and what came instead, where none fits within the time limit.
  func first(
    _ expected: String, from start: Int = 0, within limit: Duration, where fits: @escaping (Entry) -> Bool
  ) async throws(Unexpected) -> Entry {
    if let entry = entries(from: start).first(where: fits) { return entry }
    let entry = await withCheckedContinuation { continuation in
      waited += 1
      let number = waited
      let timer = Loop.after(limit) { [weak self] in self?.resume(number, nil) }
      waiters[number] = Waiter(fits: fits, continuation: continuation, timer: timer)
    }
    guard let entry else { throw Unexpected(expected: expected, came: summary(from: start)) }
    return entry
  }

  private func entries(from start: Int) -> ArraySlice<Entry> { entries.dropFirst(max(start - forgotten, 0)) }

  private func resume(_ number: Int, _ entry: Entry?) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.timer.cancel()
    waiter.continuation.resume(returning: entry)
  }

  private func summary(from start: Int) -> String {
    let last = entries(from: start).suffix(5)
    return last.isEmpty ? "nothing" : last.map { "\($0)" }.joined(separator: ", ")
  }
}
