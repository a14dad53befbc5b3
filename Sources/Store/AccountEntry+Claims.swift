import Primitives

/// The held slot and the lines.
extension AccountEntry {
  mutating func claimHeld(_ claim: Held, isDead: (Holder) -> Bool, now: Instant) -> StoreReply {
    guard !isElsewhere(claim.call, than: claim.home) else { return .fenced }
    if held.map({ $0.until <= now }) == true { endHeld(now: now) }
    if held?.call == claim.call {
      held?.until = claim.until
      return .granted
    }
    if let held, held.merge == claim.merge, !hasRecord(of: held.call), isDead(held.home) { self.held = nil }
    pastMerges.removeAll { $0.until <= now }
    guard !isOver(claim.call) else { return .fenced }
    let copies = (pastMerges.map(\.merge) + [held?.merge].compactMap(\.self)).filter { $0.request == claim.merge.request }
    guard copies.isEmpty else { return copies.contains(claim.merge) ? .retransmission : .merged }
    guard held == nil else { return .busy }
    held = claim
    return .granted
  }

  mutating func releaseHeld(_ call: CallID, home: Holder, now: Instant) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    if held?.call == call { endHeld(now: now) }
    return .done
  }

  mutating func unclaimHeld(_ call: CallID, isOver: Bool, home: Holder, now: Instant) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    if held?.call == call { held = nil }
    if isOver { rememberEnd(of: call, now: now) }
    return .done
  }

  /// A home of before that comes back does not go on with it.
  func isOver(_ call: CallID) -> Bool { pastMerges.contains { $0.merge == Self.end(of: call) } }

  /// Its copies may ring, where it never has.
  mutating func rememberEnd(of call: CallID, now: Instant) { remember(Self.end(of: call), now: now) }

  private static func end(of call: CallID) -> MergeKey { MergeKey(request: Bytes(call.description.utf8), branch: []) }

  mutating func endHeld(_ call: CallID, merge: MergeKey, home: Holder, now: Instant) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    if held?.call == call { endHeld(now: now) }
    remember(merge, now: now)
    return .done
  }

  private mutating func endHeld(now: Instant) {
    guard let held else { return }
    remember(held.merge, now: now)
    self.held = nil
  }

  private mutating func remember(_ merge: MergeKey, now: Instant) {
    guard !pastMerges.contains(where: { $0.merge == merge }) else { return }
    if pastMerges.count == Self.pastMergeLimit { pastMerges.removeFirst() }
    pastMerges.append((merge, now + Self.mergeLifetime))
  }

  /// 64·T1 (RFC 3261 §17.2.1): for as long may another branch still bring its copy.
  private static let mergeLifetime: Duration = .seconds(32)
  private static let pastMergeLimit = 16

  mutating func claim(_ line: Whereabouts.Line, for call: CallID, home: Holder) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    guard account.device(line.device) != nil, (1...2).contains(line.number), lines[line, default: call] == call else { return .busy }
    lines[line] = call
    return .granted
  }

  mutating func release(_ line: Whereabouts.Line, of call: CallID, home: Holder) -> StoreReply {
    guard !isElsewhere(call, than: home) else { return .fenced }
    if lines[line] == call { lines[line] = nil }
    return .done
  }
}
