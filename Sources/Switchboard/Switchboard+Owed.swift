import PhoneContract
import Primitives
import Store

/// What the store has to hear, and gave no answer to. It is said again until there is one: else a slot or a line would be taken for
/// ever by a call that nobody has, or a call would have a home that does not know of it.
enum Owed: Sendable, Hashable {
  case releaseHeld(AccountID, CallID, home: Holder)
  /// Of a call that rang: its slot is one of the past, also where the store has lost that it had it.
  case endHeld(AccountID, CallID, merge: MergeKey, home: Holder)
  /// Of a call that never began.
  case unclaimHeld(AccountID, CallID, isOver: Bool, home: Holder)
  case releaseLine(AccountID, DeviceLine, CallID, home: Holder)
  case removeCall(AccountID, CallID, home: Holder)
  /// That of a call which is over.
  case slotEnd(AccountID, CallID)
  /// The lines of a call that is over.
  case memory(AccountID, CallID)
  /// The held slot of a call that waits for it.
  case slot(CallID)
  /// Whether the store has lines for calls of this node that are not on them.
  case lines(AccountID)
  /// A call as it is when it is said again.
  case call(CallID)
  /// As above, and what it does once that is heard waits for it.
  case outbox(CallID)
  /// A call of this node in its new life.
  case move(CallID, from: Holder, tries: Int)
  case adopt(Orphan)
  case orphans(AccountID, of: NodeID?)
  case registration(AccountID)
  case releaseOwner(AccountID, Fence)
  case restore(AccountID, Fence)
  /// An account that this node may have without knowing.
  case claim(AccountID)
  /// An account that nobody uses and no registrar knows any more.
  case removeAccount(AccountID)
}

extension Owed {
  /// Whose calls it asks for.
  fileprivate var adoptsFor: AccountID? {
    switch self {
    case .adopt(let orphan): orphan.account
    case .orphans(let account, _): account
    default: nil
    }
  }
}

extension Owed {
  /// Whether somebody else would take the call for a new one before the store hears it.
  fileprivate var isWordOfCall: Bool {
    switch self {
    case .call, .slotEnd: true
    default: false
    }
  }

  /// Whether somebody else would go on with the call before the store hears it.
  fileprivate var isEndOfCall: Bool { place != nil }

  /// The call whose place in the store is meant.
  fileprivate var place: (AccountID, CallID)? {
    switch self {
    case .removeCall(let account, let call, _), .memory(let account, let call): (account, call)
    default: nil
    }
  }
}

/// Each once, the oldest first.
struct Debts: Sendable, Equatable {
  static let pause = Duration.seconds(1)
  /// So many at once; the store has just come back.
  static let batch = 500
  /// Above that the next one is forgotten: what it was about then ends by its own time.
  static let most = 50_000

  private var waiting: [Owed] = []
  private var known: Set<Owed> = []
  private var lastWord: Instant?
  private var lastEnd: Instant?
  /// How many of them ask for calls of the account.
  private var adoptions: [AccountID: Int] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  /// Whether there was a call, or the end of one, that the store did not hear of. Each is said again after a pause: until that has passed
  /// once more nothing is known of the last of them.
  func hasWords(now: Instant) -> Bool { isRecent(lastWord, now: now) }

  /// The same of calls that are over for good.
  func hasEnds(now: Instant) -> Bool { isRecent(lastEnd, now: now) }

  private func isRecent(_ moment: Instant?, now: Instant) -> Bool { moment.map { now - $0 < Self.pause * 2 } ?? false }

  mutating func add(_ owed: Owed, now: Instant) {
    if owed.isWordOfCall { lastWord = now }
    if owed.isEndOfCall { lastEnd = now }
    guard waiting.count < Self.most, known.insert(owed).inserted else { return }
    waiting.append(owed)
    if let account = owed.adoptsFor { adoptions[account, default: 0] += 1 }
  }

  mutating func next() -> [Owed] {
    let due = waiting.prefix(Self.batch)
    waiting.removeFirst(due.count)
    known.subtract(due)
    for account in due.compactMap(\.adoptsFor) { adoptions[account] = adoptions[account].flatMap { $0 > 1 ? $0 - 1 : nil } }
    return Array(due)
  }

  func isAdopting(_ account: AccountID) -> Bool { adoptions[account] != nil }
}

extension Switchboard {
  /// Whether the store has answered; where it has not, it hears it again.
  mutating func isHeard(_ owed: Owed, _ reply: StoreReply, now: Instant) -> Bool {
    guard reply == .unavailable else { return true }
    owe(owed, now: now)
    return false
  }

  /// That a call is over cannot be said where the store has gone back to a home before, or has lost the account.
  mutating func heard(_ owed: Owed, _ reply: StoreReply, now: Instant) -> [Action] {
    guard isHeard(owed, reply, now: now) else { return [] }
    if reply == .noAccount, case .endHeld(let account, let call, _, _) = owed { owe(.slotEnd(account, call), now: now) }
    guard reply == .fenced, let (account, call) = owed.place, ended.contains(call) else { return [] }
    return [storing(.whereabouts(account), then: .overSought(account, call))]
  }

  mutating func owe(_ owed: Owed, now: Instant) {
    if debts.isEmpty { deadlines.set(now + Debts.pause, for: .debts) }
    debts.add(owed, now: now)
  }

  mutating func payDebts(now: Instant) -> [Action] {
    let due = debts.next()
    if !debts.isEmpty { deadlines.set(now + Debts.pause, for: .debts) }
    return due.flatMap { pay($0) }
  }

  /// Says it, where it still is to be said.
  mutating func pay(_ owed: Owed) -> [Action] {
    switch owed {
    case .releaseHeld(let account, let call, let home): return [storing(.releaseHeld(account, call, home: home), then: .owed(owed))]
    case .endHeld(let account, let call, let merge, let home):
      return [storing(.endHeld(account, call, merge: merge, home: home), then: .owed(owed))]
    case .unclaimHeld(let account, let call, let isOver, let home):
      return [storing(.unclaimHeld(account, call, isOver: isOver, home: home), then: .owed(owed))]
    case .releaseLine(let account, let line, let call, let home):
      guard !isUsed(line, by: call) else { return [] }
      return [storing(.releaseLine(account, line.device, line: line.line.rawValue, call, home: home), then: .owed(owed))]
    case .removeCall(let account, let call, let home):
      return calls[call] != nil || phones.keeps(call) ? [] : [storing(.removeCall(account, call, home: home), then: .owed(owed))]
    case .slotEnd(let account, let call): return endSlot(of: call, account)
    case .memory(let account, let call):
      return phones.keeps(call) ? saveMemory(account, call) : pay(.removeCall(account, call, home: holder))
    case .slot(let call):
      // In its next life this node asks for it anyway.
      guard !isPassive, !inDoubt.contains(call), let call = calls[call], call.slot != nil else { return [] }
      return claimSlot(call, isRepeated: false)
    case .lines(let account): return [readLines(of: account)]
    case .call(let call): return assertPlaces(of: call) + save(call)
    case .outbox(let call): return outboxes[call] == nil ? [] : saveAgain(call)
    case .move(let call, let former, let tries): return move(call, from: former, tries: tries)
    case .adopt(let orphan): return adopt(orphan)
    case .orphans(let account, let node): return adoptCalls(of: account, from: node)
    case .registration(let account): return saveRegistration(account)
    case .releaseOwner(let account, let fence):
      return accounts[account]?.fence != fence
        ? [.kept(account)] : [storing(.releaseOwner(account, fence), then: .released(account, fence))]
    case .restore(let account, let fence):
      return !isPassive && accounts[account].map { ($0.fence ?? $0.suspended ?? $0.parted) == fence } == true
        ? restore(account, by: fence) : []
    case .claim(let account): return claimAgain(account)
    case .removeAccount(let account): return removeRetired(account)
    }
  }

  /// A claim that is under way sees to its line itself.
  private func isUsed(_ line: DeviceLine, by call: CallID) -> Bool {
    calls[call]?.uses(line) == true || lineClaims[LineClaim(line: line, call: call)] != nil
  }
}

/// A line that the store is asked for.
struct LineClaim: Sendable, Hashable {
  let line: DeviceLine
  let call: CallID
}
