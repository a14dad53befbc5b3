import PhoneContract
import Primitives
import SIP
public import Store

/// A call whose home is gone, as the store knows it: perhaps only its held slot, and lines that no record tells of.
struct Orphan: Sendable, Hashable {
  let account: AccountID
  let call: CallID
  let home: Holder
  let lines: [DeviceLine]

  init(_ call: CallID, of account: AccountID, from home: Holder) {
    (self.account, self.call, self.home, lines) = (account, call, home, [])
  }

  init(_ call: Whereabouts.Call, of account: AccountID) {
    self.account = account
    self.call = call.id
    home = call.home
    lines = call.lines.compactMap { line in Line(rawValue: line.number).map { DeviceLine(device: line.device, line: $0) } }
  }
}

/// What is being adopted, and who waits for that: a request inside a dialog that is not here yet is not one for nobody.
struct Adoptions: Sendable {
  struct Parked: Sendable {
    let request: Request
    let transaction: ServerTransactionID
    let flow: Flow
  }

  static let mostParked = 16

  private var underWay: [AccountID: Int] = [:]
  private var parked: [AccountID: [Parked]] = [:]

  func isUnderWay(_ account: AccountID) -> Bool { underWay[account] != nil }

  mutating func begin(_ account: AccountID) { underWay[account, default: 0] += 1 }

  /// Gives those who waited, where nothing is under way any more.
  mutating func end(_ account: AccountID) -> [Parked] {
    let left = (underWay[account] ?? 0) - 1
    underWay[account] = left > 0 ? left : nil
    return left > 0 ? [] : parked.removeValue(forKey: account) ?? []
  }

  mutating func park(_ request: Parked, for account: AccountID) -> Bool {
    guard underWay[account] != nil, parked[account, default: []].count < Self.mostParked else { return false }
    parked[account, default: []].append(request)
    return true
  }
}

/// Calls that come from other nodes.
extension Switchboard {
  /// Whether calls of the account are on their way here: what a phone asks about them has no answer yet.
  public func isAdopting(_ id: AccountID) -> Bool { adoptions.isUnderWay(id) || debts.isAdopting(id) }

  /// The calls of an account that this node owns, whose home has died. nil: whichever node that was.
  public mutating func adoptCalls(of id: AccountID, from node: NodeID?) -> [Action] {
    guard accounts[id] != nil else { return [] }
    adoptions.begin(id)
    return [storing(.whereabouts(id), then: .orphans(id, of: node))]
  }

  mutating func orphansRead(_ id: AccountID, _ node: NodeID?, _ reply: StoreReply, now: Instant) -> [Action] {
    var actions: [Action] = []
    // Its home may only not have said yet that it has it.
    let reply = settling.mayTakeUp(now: now) ? reply : .unavailable
    if isHeard(.orphans(id, of: node), reply, now: now), case .whereabouts(let found) = reply {
      let orphans = found.calls.filter { node == nil || $0.home.node == node }.filter { isOrphan($0) }
      actions = orphans.flatMap { adopt(Orphan($0, of: id)) }
    }
    return actions + adoptionEnded(id, now: now)
  }

  private func isOrphan(_ call: Whereabouts.Call) -> Bool {
    calls[call.id] == nil && !phones.keeps(call.id) && call.home != holder && !isAlive(call.home)
  }

  mutating func adopt(_ orphan: Orphan) -> [Action] {
    adoptions.begin(orphan.account)
    return [storing(.adoptCall(orphan.account, orphan.call, from: orphan.home, to: holder), then: .adopted(orphan))]
  }

  private mutating func adoptionEnded(_ id: AccountID, now: Instant) -> [Action] {
    adoptions.end(id).flatMap { parked in
      provider(.request(parked.request, parked.transaction, from: parked.flow), now: now)
    }
  }

  mutating func callAdopted(_ orphan: Orphan, _ reply: StoreReply, now: Instant) -> [Action] {
    var actions: [Action] = []
    if isHeard(.adopt(orphan), reply, now: now), case .adopted(let record) = reply, calls[orphan.call] == nil {
      actions = take(orphan, record, now: now)
    }
    return actions + adoptionEnded(orphan.account, now: now)
  }

  /// The call is this node's.
  mutating func take(_ orphan: Orphan, _ record: Bytes, now: Instant) -> [Action] {
    guard !ended.contains(orphan.call) else { return sayOver(orphan.call, of: orphan.account) }
    guard let call = try? Call(record: record), !call.isOver, call.id == orphan.call else {
      return freeLines(of: orphan) + takeOver(orphan, record, now: now)
    }
    guard !hasComeAgain(call) else { return takeOver(orphan, record, now: now) }
    if let again = waitingRetransmission(of: call) { return forgetRetransmission(again, now: now) + take(orphan, record, now: now) }
    guard accounts[orphan.account] != nil else { return visit(Visit(account: orphan.account, reason: .orphan(orphan, record))) }
    calls[call.id] = call
    accounts[call.account]?.calls.insert(call.id)
    index(call)
    takeMemory(of: call, now: now)
    let last = call.provisional.map { response(to: call, $0, sdp: nil) }
    let transaction: [Action] = call.isOpen ? [.adopt(call.invite, last: last, call.flow)] : []
    calls[call.id]?.isWaitRecorded = call.slot != nil
    let goneOn = withCall(call.id, now: now) { $0.adopted(lines: orphan.lines, now: now) }
    return transaction + [.note(.adopted(call.id))] + goneOn + claimAdoptedSlot(call.id, now: now) + endForStrangers(call, now: now)
  }

  /// It waited for its slot when its home died, and its INVITE, sent once more, is a call of its own here or has had its final response.
  private func hasComeAgain(_ call: Call) -> Bool { call.slot != nil && callOfTransaction[call.transaction] != nil }

  /// Of a call that rang.
  private func waitingRetransmission(of call: Call) -> CallID? {
    callOfTransaction[call.transaction].flatMap { calls[$0]?.slot == nil ? nil : $0 }
  }

  /// It waited for its slot.
  private mutating func claimAdoptedSlot(_ id: CallID, now: Instant) -> [Action] {
    calls[id].flatMap { $0.slot == .asked ? claimSlot($0, now: now) : nil } ?? []
  }

  /// A call that ended here, which the store may have as it was before.
  mutating func sayOver(_ call: CallID, of account: AccountID) -> [Action] {
    let place: Owed = phones.keeps(call) ? .memory(account, call) : .removeCall(account, call, home: holder)
    return pay(.releaseHeld(account, call, home: holder)) + endSlot(of: call, account) + pay(place)
  }

  /// Its home before may be dead: whoever adopted it from there would have it go on.
  mutating func overSought(_ id: CallID, of account: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .whereabouts(let found) = reply, let call = found.calls.first(where: { $0.id == id }), call.home != holder,
      !isAlive(call.home)
    else { return [] }
    return adopt(Orphan(call, of: account))
  }

  /// Said once more: a copy of its INVITE that comes late is still one.
  mutating func endSlot(of call: CallID, _ account: AccountID) -> [Action] {
    guard !isPassive, let slot = pastSlot(of: call) else { return [] }
    return [storing(.endHeld(account, call, merge: slot.merge, home: holder), then: .slotEnded(account, call))]
  }

  /// Of a call that rings no more.
  private func pastSlot(of id: CallID) -> (merge: MergeKey, until: Instant)? {
    if let slot = ended.slot(of: id) { return slot }
    guard let call = calls[id], call.slot == nil, !call.neverRang, call.held == nil, !isReleasing(id),
      let merge = call.mergeKey
    else { return nil }
    return (merge, slotEnd(of: call))
  }

  /// It says so itself, once the store has its end.
  private func isReleasing(_ id: CallID) -> Bool { outboxes[id]?.actions.contains(.releaseHeld) == true }

  /// Those of calls that rang a moment ago.
  mutating func endSlots(now: Instant) -> [Action] {
    calls.values.map(\.id).sorted().flatMap { endSlot(of: $0, ifLaterThan: now) }
  }

  private mutating func endSlot(of id: CallID, ifLaterThan now: Instant) -> [Action] {
    guard let call = calls[id], slotEnd(of: call) > now else { return [] }
    return endSlot(of: id, call.account)
  }

  /// The store may have forgotten the account, and hear of it later.
  mutating func slotEnded(_ call: CallID, of account: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard reply == .unavailable || reply == .noAccount, let slot = pastSlot(of: call), slot.until > now else { return [] }
    owe(.slotEnd(account, call), now: now)
    return []
  }

  /// Devices that have left the account while nobody had the call.
  private mutating func endForStrangers(_ call: Call, now: Instant) -> [Action] {
    let concerned = Set(call.held?.rings.keys.map { $0 } ?? []).union([call.answeredOn?.device].compactMap(\.self))
    return concerned.sorted().filter { device(call.account, $0) == nil }.flatMap { device in
      withCall(call.id, now: now) { $0.removed(device, now: now) }
    }
  }

  /// Of a call that is over: the memory of its lines is kept, anything else was claimed and never begun. Then nobody was told: whoever
  /// claimed it may live, and claim it once more.
  private mutating func takeOver(_ orphan: Orphan, _ record: Bytes, now: Instant) -> [Action] {
    let held = pay(
      record.isEmpty
        ? .unclaimHeld(orphan.account, orphan.call, isOver: false, home: holder) : .releaseHeld(orphan.account, orphan.call, home: holder))
    guard let memory = try? LineMemory(record: record), memory.until > now, accounts[orphan.account] != nil else {
      return held + pay(.removeCall(orphan.account, orphan.call, home: holder))
    }
    takeMemory(memory, orphan.call, of: orphan.account, now: now)
    return held
  }

  private mutating func freeLines(of orphan: Orphan) -> [Action] {
    orphan.lines.flatMap { pay(owedRelease($0, of: orphan.call, orphan.account)) }
  }

  private mutating func index(_ call: Call) {
    if call.isOpen { callOfTransaction[call.transaction] = call.id }
    if call.held != nil { ringing[call.account] = call.id }
    guard let line = call.answeredOn, call.talk != nil, let callID = try? call.invite.callID else { return }
    callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = call.id
    // Of a call that is over only the word about its end is left: it does not hide another one.
    if call.isAnswered || callOfLine[line] == nil { callOfLine[line] = call.id }
  }

  // MARK: This node's next life

  /// What it has of its former life it has to ask for like everybody else.
  ///
  /// - Parameter tries: below zero those that have not even met its account.
  mutating func move(_ id: CallID, from former: Holder, tries: Int = 0) -> [Action] {
    guard let call = calls[id] else { return [] }
    inDoubt.insert(id)
    return [storing(.adoptCall(call.account, id, from: former, to: holder), then: .moved(id, from: former, tries: tries))]
  }

  mutating func callMoved(
    _ id: CallID, from former: Holder, tries: Int, _ reply: StoreReply, now: Instant
  ) -> [Action] {
    guard let call = calls[id], inDoubt.contains(id), isHeard(.move(id, from: former, tries: tries), reply, now: now) else { return [] }
    // It asked for its slot: the store knows it only where the answer to the claim was lost. Now it is claimed by who this node is.
    guard call.isRecorded else {
      inDoubt.remove(id)
      return claimSlot(call, now: now)
    }
    switch reply {
    case .adopted(let record):
      if isNewer(record, of: former, than: call) { return replace(call, by: record, from: former, now: now) }
    // A store that has forgotten everything hears of a guest's account from its owner first; else the account is gone.
    case .noAccount where tries > -Self.mostWaits:
      owe(.move(id, from: former, tries: min(tries, 0) - 1), now: now)
      return []
    // It is another node's, or the store has lost it and nobody's.
    case .fenced: return [storing(.whereabouts(call.account), then: .movedSought(id, from: former, tries: max(tries, 0)))]
    default: return yield(id, now: now)
    }
    // What the other side has said meanwhile may have been lost.
    return goOn(id, now: now) + withCall(id, now: now) { $0.mayHaveEnded() }
  }

  /// What another home has made of it meanwhile: a later one, or one that adopted it from where this node did, once the store had lost that.
  /// Where it has ended there, only the memory of its lines is left.
  private func isNewer(_ record: Bytes, of home: Holder, than call: Call) -> Bool {
    guard let other = try? Call(record: record) else { return (try? LineMemory(record: record)) != nil }
    return other.homes > call.homes || other.homes == call.homes && home.node != holder.node
  }

  private mutating func replace(_ call: Call, by newer: Bytes, from former: Holder, now: Instant) -> [Action] {
    let cancel = unheardCancel(of: call)
    calls[call.id]?.cancel = nil
    let taken = yield(call.id, now: now) + take(Orphan(call.id, of: call.account, from: former), newer, now: now)
    return taken + (cancel.map { provider(.request($0.request, $0.id, from: call.flow), now: now) } ?? [])
  }

  private mutating func goOn(_ id: CallID, now: Instant) -> [Action] {
    inDoubt.remove(id)
    calls[id]?.talk?.dialog.resumed()
    let saved = save(id, then: outboxes[id] == nil ? nil : .saved(id, isRepeated: false))
    return assertPlaces(of: id) + saved + endSlot(of: id, ifLaterThan: now) + claimAdoptedSlot(id, now: now)
      + withCall(id, now: now) { $0.announceAgain() }
  }

  /// A store that came back empty while this node was stopped has not heard of the call from anybody. Where somebody else had it and has
  /// ended it meanwhile, the other side of an answered call says so when it is asked, and of one that rang the store knows the slot that
  /// it had.
  mutating func movedSought(_ id: CallID, from former: Holder, tries: Int, _ reply: StoreReply, now: Instant) -> [Action] {
    guard let call = calls[id], inDoubt.contains(id), isHeard(.move(id, from: former, tries: tries), reply, now: now) else { return [] }
    guard case .whereabouts(let found) = reply else { return yield(id, now: now) }
    if let home = found.calls.first(where: { $0.id == id })?.home {
      guard home == holder || !isAlive(home), tries < Self.mostMoves else { return yield(id, now: now) }
      // The store has to hear of its death once more.
      owe(.move(id, from: home, tries: tries + 1), now: now)
      return []
    }
    // Whoever has had it meanwhile may say so first, and the more homes it has had the better this one knows.
    let fewest = call.homes == 0 && !heirs.isEmpty ? Self.movesBesideHeirs : Self.fewestMoves - 2 * call.homes
    // Of two homes of one call, one that waits for its slot lets the other, which may have rung, speak.
    let isLate = call.slot != nil && settling.isAsked(now: now) && tries < Self.mostMoves
    guard tries >= fewest, !isLate else {
      owe(.move(id, from: former, tries: tries + 1), now: now)
      return []
    }
    if call.held != nil || isUnsaid(id) { return claimSlot(of: call, then: .movedHeld(id, from: former, tries: tries)) }
    guard call.isAnswered || call.slot != nil || call.refused != nil || owesBye(id) else { return yield(id, now: now) }
    return goOn(id, now: now) + withCall(id, now: now) { $0.mayHaveEnded() }
  }

  /// It was answered or refused here, and the caller has not heard of that yet.
  private func isUnsaid(_ id: CallID) -> Bool { outboxes[id]?.actions.contains { $0.isFinal } ?? false }

  /// It was hung up here, and the other side has not heard of that yet.
  private func owesBye(_ id: CallID) -> Bool { outboxes[id]?.actions.contains(.bye) ?? false }

  /// It rings on; where another call has the slot by now its caller is not left with that, nor where it has ended here meanwhile: a phone
  /// that answered has been told that it cannot be.
  mutating func movedHeld(_ id: CallID, from former: Holder, tries: Int, _ reply: StoreReply, now: Instant) -> [Action] {
    guard let call = calls[id], inDoubt.contains(id), isHeard(.move(id, from: former, tries: tries), reply, now: now) else { return [] }
    switch reply {
    case .granted where call.held != nil: return goOn(id, now: now)
    case .granted, .busy: return giveUp(call, now: now)
    default: return call.neverRang ? giveUp(call, now: now) : yield(id, now: now)
    }
  }

  /// Its caller hears the end, and the store that a copy of its INVITE is one.
  private mutating func giveUp(_ call: Call, now: Instant) -> [Action] {
    let last = yield(call.id, final: call.refused ?? 480, now: now)
    ended.note(call.id, of: call.account, merge: call.neverRang ? nil : call.mergeKey, now: now)
    return last + sayOver(call.id, of: call.account)
  }

  private static let mostMoves = 10
  /// The account's owner may be cut off from the store, which has lost it.
  private static let mostWaits = 60
  private static let fewestMoves = 5
  private static let movesBesideHeirs = 20
}

extension Call {
  /// Whether the INVITE still waits for something: its final response, or the ACK.
  fileprivate var isOpen: Bool {
    if case .unconfirmed = talk?.phase { return true }
    return slot != nil || held != nil || refused != nil
  }

  /// What its caller has heard.
  fileprivate var provisional: Int? { slot != nil ? 100 : held != nil ? 180 : nil }
}
