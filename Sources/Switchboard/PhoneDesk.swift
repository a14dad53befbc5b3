import PhoneContract
import Primitives
import Store

/// What is remembered of lines whose call is over, so that a phone that comes late hears the right thing.
struct PhoneDesk: Sendable, Equatable {
  static let memory = Contract.endedLifetime
  /// Above that others are forgotten early.
  static let most = 20_000

  private struct Entry: Sendable, Equatable {
    let fate: LineMemory.Fate
    let account: AccountID
    let until: Instant
  }

  private struct Kept: Sendable, Equatable {
    let account: AccountID
    let until: Instant
  }

  private var lines: [DeviceLine: Entry] = [:]
  private var linesOf: [AccountID: Set<DeviceLine>] = [:]
  /// Calls whose place in the store holds what is remembered of their account.
  private var kept: [CallID: Kept] = [:]
  private var keptOf: [AccountID: Set<CallID>] = [:]

  var isEmpty: Bool { lines.isEmpty && kept.isEmpty }

  mutating func note(_ fate: LineMemory.Fate, _ line: DeviceLine, of account: AccountID, until: Instant) {
    if lines.count >= Self.most, let other = lines.keys.first { forget(other) }
    lines[line] = Entry(fate: fate, account: account, until: until)
    linesOf[account, default: []].insert(line)
  }

  /// The device had fetched the call on this line, and it ended before the answer.
  func hasMissed(_ line: DeviceLine, now: Instant) -> Bool { fate(of: line, now: now) == .missed }

  /// An answered call ended.
  func hasEnded(_ line: DeviceLine, now: Instant) -> Bool { fate(of: line, now: now) == .ended }

  private func fate(of line: DeviceLine, now: Instant) -> LineMemory.Fate? {
    lines[line].flatMap { $0.until > now ? $0.fate : nil }
  }

  /// Another call is on the line.
  mutating func begun(_ line: DeviceLine) { forget(line) }

  private mutating func forget(_ line: DeviceLine) {
    guard let entry = lines.removeValue(forKey: line) else { return }
    linesOf[entry.account]?.remove(line)
    if linesOf[entry.account]?.isEmpty == true { linesOf[entry.account] = nil }
  }

  // MARK: In the store

  /// All that is remembered of the account; nil for nothing.
  func memory(of account: AccountID) -> LineMemory? {
    var memory = LineMemory()
    for line in (linesOf[account] ?? []).sorted().prefix(LineMemory.most) {
      guard let entry = lines[line] else { continue }
      memory.fates[line] = entry.fate
      memory.until = max(memory.until, entry.until)
    }
    return memory.fates.isEmpty ? nil : memory
  }

  /// The store has the memory under the call's name from now on. Gives the names that are not needed any more: one is enough.
  mutating func keep(_ call: CallID, of account: AccountID, until: Instant) -> [CallID] {
    let former = keptOf[account] ?? []
    for call in former { kept[call] = nil }
    kept[call] = Kept(account: account, until: until)
    keptOf[account] = [call]
    return former.subtracting([call]).sorted()
  }

  /// What another node remembered.
  mutating func take(_ memory: LineMemory, _ call: CallID, of account: AccountID) {
    for (line, fate) in memory.fates.sorted(by: { $0.key < $1.key }) where lines[line] == nil {
      note(fate, line, of: account, until: memory.until)
    }
    kept[call] = Kept(account: account, until: memory.until)
    keptOf[account, default: []].insert(call)
  }

  func keeps(_ call: CallID) -> Bool { kept[call] != nil }

  /// Calls that are kept in the store's place for them, and whose they are.
  var keptCalls: [(call: CallID, account: AccountID)] { kept.sorted { $0.key < $1.key }.map { ($0.key, $0.value.account) } }

  func keepsAny(of account: AccountID) -> Bool { keptOf[account] != nil }

  // MARK: Time

  var earliest: Instant? { (lines.values.map(\.until) + kept.values.map(\.until)).min() }

  /// Gives the calls whose place in the store is free now.
  mutating func forgetOld(now: Instant) -> [(call: CallID, account: AccountID)] {
    for line in lines.filter({ $0.value.until <= now }).keys { forget(line) }
    let old = kept.filter { $0.value.until <= now }.sorted { $0.key < $1.key }
    for (call, place) in old {
      kept[call] = nil
      keptOf[place.account]?.remove(call)
      if keptOf[place.account]?.isEmpty == true { keptOf[place.account] = nil }
    }
    return old.map { ($0.key, $0.value.account) }
  }
}
