import Primitives

/// An account in the embedded store, and what is going on with it.
struct AccountEntry: Sendable {
  private(set) var account: Account
  private(set) var version: Version
  private var held: Held?
  /// Copies of INVITEs that were held a moment ago.
  private var pastMerges: [(merge: Bytes, until: Instant)] = []
  private var lines: [LineKey: CallID] = [:]
  private(set) var calls: [StoreReply.SavedCall] = []
  private(set) var registration: Bytes?

  struct LineKey: Hashable {
    let device: DeviceID
    let line: Int
  }

  private struct Held {
    let call: CallID
    let merge: Bytes
    var until: Instant
  }

  init(account: Account, version: Version) {
    self.account = account
    self.version = version
  }

  mutating func replace(by account: Account, version: Version) {
    self.account = account
    self.version = version
  }

  mutating func claimHeld(_ call: CallID, merge: Bytes, until: Instant, now: Instant) -> StoreReply {
    if held.map({ $0.until <= now }) == true { endHeld(now: now) }
    if held?.call == call {
      held?.until = until
      return .granted
    }
    pastMerges.removeAll { $0.until <= now }
    guard held?.merge != merge, !pastMerges.contains(where: { $0.merge == merge }) else { return .merged }
    guard held == nil else { return .busy }
    held = Held(call: call, merge: merge, until: until)
    return .granted
  }

  mutating func releaseHeld(_ call: CallID, now: Instant) -> StoreReply {
    if held?.call == call { endHeld(now: now) }
    return .done
  }

  private mutating func endHeld(now: Instant) {
    guard let held else { return }
    if pastMerges.count == Self.pastMergeLimit { pastMerges.removeFirst() }
    pastMerges.append((held.merge, now + Self.mergeLifetime))
    self.held = nil
  }

  /// 64·T1 (RFC 3261 §17.2.1): for as long may another branch still bring its copy.
  private static let mergeLifetime: Duration = .seconds(32)
  private static let pastMergeLimit = 16

  mutating func claimLine(_ line: LineKey, for call: CallID) -> StoreReply {
    guard account.device(line.device) != nil, (1...2).contains(line.line), lines[line, default: call] == call else { return .busy }
    lines[line] = call
    return .granted
  }

  mutating func releaseLine(_ line: LineKey, of call: CallID) -> StoreReply {
    if lines[line] == call { lines[line] = nil }
    return .done
  }

  mutating func save(_ record: Bytes, of call: CallID, _ limits: MemoryStore.Limits) -> StoreReply {
    guard record.count <= limits.recordBytes else { return .full }
    let saved = StoreReply.SavedCall(id: call, record: record)
    if let index = calls.firstIndex(where: { $0.id == call }) {
      calls[index] = saved
    } else {
      guard calls.count < limits.callsPerAccount else { return .full }
      calls.append(saved)
    }
    return .done
  }

  mutating func remove(_ call: CallID) -> StoreReply {
    calls.removeAll { $0.id == call }
    return .done
  }

  mutating func save(registration record: Bytes, _ limits: MemoryStore.Limits) -> StoreReply {
    guard record.count <= limits.recordBytes else { return .full }
    registration = record
    return .done
  }
}
