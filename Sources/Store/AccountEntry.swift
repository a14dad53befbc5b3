import Primitives

/// An account in the embedded store, and what is going on with it.
struct AccountEntry: Sendable {
  private(set) var account: Account
  private(set) var version: Version
  private(set) var registration: Bytes?
  var ownership = Ownership()
  var held: Held?
  /// Copies of INVITEs that were held a moment ago.
  var pastMerges: [(merge: MergeKey, until: Instant)] = []
  var lines: [Whereabouts.Line: CallID] = [:]
  private var saved: [CallID: SavedCall] = [:]

  struct Held: Sendable {
    let call: CallID
    let merge: MergeKey
    var until: Instant
    var home: Holder
  }

  init(account: Account, version: Version) {
    self.account = account
    self.version = version
  }

  var calls: [SavedCall] {
    let claimed = held.flatMap { saved[$0.call] == nil ? SavedCall(id: $0.call, home: $0.home, record: []) : nil }
    return (saved.values + [claimed].compactMap(\.self)).sorted { $0.id < $1.id }
  }

  var snapshot: Snapshot { Snapshot(account: account, version: version, registration: registration, calls: calls) }

  mutating func replace(by account: Account, version: Version) {
    self.account = account
    self.version = version
  }

  mutating func save(registration record: Bytes, by fence: Fence, _ limits: MemoryStore.Limits) -> StoreReply {
    guard ownership.admit(fence) else { return .fenced }
    guard record.count <= limits.recordBytes else { return .full }
    registration = record
    return .done
  }

  // MARK: Calls

  /// Where the call is at home; nil where nothing is known of it.
  func home(of call: CallID) -> Holder? { saved[call]?.home ?? (held?.call == call ? held?.home : nil) }

  func hasRecord(of call: CallID) -> Bool { saved[call] != nil }

  func isElsewhere(_ call: CallID, than home: Holder) -> Bool { self.home(of: call).map { $0 != home } ?? false }

  /// Who has a call of the account.
  var homes: Set<Holder> { Set(saved.values.map(\.home) + [held?.home].compactMap(\.self)) }

  mutating func save(_ call: SavedCall, _ limits: MemoryStore.Limits) -> StoreReply {
    guard !isElsewhere(call.id, than: call.home) else { return .fenced }
    guard call.record.count <= limits.recordBytes else { return .full }
    guard saved[call.id] != nil || !isOver(call.id) else { return .merged }
    guard saved[call.id] != nil || saved.count < limits.callsPerAccount else { return .full }
    saved[call.id] = call
    return .done
  }

  mutating func adopt(_ call: CallID, from: Holder, to: Holder, isDead: Bool) -> StoreReply {
    let home = self.home(of: call)
    guard home == to || (home == from && isDead) else { return .fenced }
    let record = saved[call]?.record
    if let record { saved[call] = SavedCall(id: call, home: to, record: record) }
    if held?.call == call { held?.home = to }
    return .adopted(record ?? [])
  }

  mutating func remove(_ call: CallID, home: Holder, now: Instant) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    if saved.removeValue(forKey: call) != nil { rememberEnd(of: call, now: now) }
    lines = lines.filter { $0.value != call }
    return .done
  }

  // MARK: The whole

  /// What an owner knows after the store lost it. The fence has been admitted.
  mutating func restore(_ snapshot: Snapshot, _ limits: MemoryStore.Limits) {
    replace(by: snapshot.account, version: snapshot.version)
    registration = snapshot.registration ?? registration
    for call in snapshot.calls { _ = save(call, limits) }
  }

  var whereabouts: Whereabouts {
    let ids = Set(saved.keys).union([held?.call].compactMap(\.self))
    return Whereabouts(owner: ownership.fence, calls: ids.sorted().compactMap { whereabouts(of: $0) })
  }

  private func whereabouts(of call: CallID) -> Whereabouts.Call? {
    guard let home = home(of: call) else { return nil }
    let lines = lines.filter { $0.value == call }.keys.sorted()
    return Whereabouts.Call(id: call, home: home, isHeld: held?.call == call, lines: lines)
  }
}
