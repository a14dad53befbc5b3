import PhoneContract
import Primitives
import SIP
public import Store

/// The actions of one call become the actions of the node.
extension Switchboard {
  /// Lets something happen to a call, and sees to what follows from it.
  mutating func withCall(_ id: CallID, now: Instant, _ happen: (inout Call) -> [Call.Action]) -> [Action] {
    guard let place = calls.index(forKey: id) else { return [] }
    let actions = happen(&calls.values[place])
    let (account, isHeld, deadline) = (calls.values[place].account, calls.values[place].held != nil, calls.values[place].nextDeadline)
    if !isHeld, ringing[account] == id { ringing[account] = nil }
    deadlines.set(deadline, for: .call(id))
    return perform(actions, of: id, now: now)
  }

  /// In their order. What must not be done once more by another home is in the store before it is done: who is told, who is told to
  /// stop, the final response.
  private mutating func perform(_ actions: [Call.Action], of id: CallID, now: Instant) -> [Action] {
    if outboxes[id] != nil {
      outboxes[id]?.add(actions)
      return []
    }
    // Nothing is recorded of a call whose slot is being asked for: it is nobody's call yet.
    guard calls[id]?.isRecorded == true else { return act(actions, of: id, now: now) }
    let mayNot = inDoubt.contains(id) || isPassive
    guard isRecording, mayNot || actions.contains(where: \.isRecordedFirst) else { return act(actions, of: id, now: now) + save(id) }
    outboxes[id] = Outbox(actions: actions)
    return save(id, then: .saved(id, isRepeated: false))
  }

  /// Without a word to the store.
  mutating func act(_ actions: [Call.Action], of id: CallID, now: Instant) -> [Action] {
    actions.flatMap { act($0, of: id, now: now) }
  }

  private mutating func act(_ action: Call.Action, of id: CallID, now: Instant) -> [Action] {
    guard let call = calls[id] else { return [] }
    switch action {
    case .respond(let status): return [.respond(call.transaction, response(to: call, status, sdp: nil))]
    case .answerCancel(let transaction, let cancel): return [answer(to: cancel, transaction, tag: call.localTag)]
    case .accept(let sdp): return accepted(call, sdp: sdp, now: now)
    case .acknowledged(let transaction): return [.acknowledged(transaction)]
    case .respondInDialog(let transaction, let request, let status, let sdp):
      return answerInDialog(transaction, request, status, sdp: sdp, call: call, now: now)
    case .bye: return send(id, .bye)
    case .acknowledge(let number): return acknowledge(id, number)
    case .refresh(let refresh): return sendRefresh(id, refresh)
    case .probe: return send(id, .options)
    case .announce(let devices): return devices.compactMap { device(call.account, $0) }.map { .announce(id, $0, call.caller, at: now) }
    case .withdraw(let device): return [.withdraw(id, device)]
    case .stop(let device, let why): return self.device(call.account, device).map { [.stop(id, $0, why, at: now)] } ?? []
    case .reply(let request, let reply): return [.reply(request, reply)]
    case .releaseHeld: return releaseHeld(call)
    case .unclaimHeld: return unclaimHeld(call, isOver: true)
    case .releaseLine(let device, let line): return free(DeviceLine(device: device, line: line), of: call)
    case .endedUnanswered(let line):
      remember(.missed, line, of: call.account, now: now)
      return free(line, of: call)
    case .ended(let line):
      remember(.ended, line, of: call.account, now: now)
      return free(line, of: call)
    case .tokenGone(let device, let push):
      return make(AccountChange(account: call.account, device: device, what: .tokenGone(push)), now: now)
    case .note(let note): return [.note(note)]
    case .over: return forget(call, now: now)
    }
  }

  private mutating func accepted(_ call: Call, sdp: Bytes, now: Instant) -> [Action] {
    guard let line = call.answeredOn, let callID = try? call.invite.callID else { return [] }
    callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = call.id
    callOfLine[line] = call.id
    let timer = agree(on: call.invite, call.id, now: now)
    return [.respond(call.transaction, response(to: call, 200, sdp: sdp, timer: timer))]
  }

  private mutating func releaseHeld(_ call: Call) -> [Action] {
    guard let merge = call.mergeKey else { return pay(.releaseHeld(call.account, call.id, home: holder)) }
    return pay(.endHeld(call.account, call.id, merge: merge, home: holder))
  }

  mutating func unclaimHeld(_ call: Call, isOver: Bool) -> [Action] {
    pay(.unclaimHeld(call.account, call.id, isOver: isOver, home: holder))
  }

  func owedRelease(_ line: DeviceLine, of call: CallID, _ account: AccountID) -> Owed { .releaseLine(account, line, call, home: holder) }

  private mutating func free(_ line: DeviceLine, of call: Call) -> [Action] { pay(owedRelease(line, of: call.id, call.account)) }

  /// The call is over.
  mutating func forget(_ call: Call, now: Instant) -> [Action] {
    let last = isRecording ? leaveMemory(of: call, now: now) : []
    if isRecording, call.slot == nil {
      ended.note(call.id, of: call.account, merge: call.neverRang ? nil : call.mergeKey, now: now)
    }
    drop(call)
    return last
  }

  /// Nothing here knows of it any more.
  mutating func drop(_ call: Call) {
    calls[call.id] = nil
    inDoubt.remove(call.id)
    outboxes[call.id] = nil
    said[call.id] = nil
    accounts[call.account]?.calls.remove(call.id)
    if ringing[call.account] == call.id { ringing[call.account] = nil }
    forgetGuest(call.account)
    deadlines.set(nil, for: .call(call.id))
    if let callID = try? call.invite.callID { callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = nil }
    if let line = call.answeredOn, callOfLine[line] == call.id { callOfLine[line] = nil }
  }

  /// Whether this node is the account's owner, or the home of a call of it.
  public func knows(_ account: AccountID) -> Bool {
    guard let known = accounts[account], known.suspended == nil else { return false }
    return known.fence != nil || known.parted == nil || !known.calls.isEmpty || phones.keepsAny(of: account)
  }

  /// Of those that this node knows: where the store says nothing.
  public func account(of device: DeviceID) -> AccountID? {
    accounts.first { $0.value.account.device(device) != nil && knows($0.key) }?.key
  }

  /// Whether one of its calls rings here, or is answered.
  public func hasCall(of account: AccountID) -> Bool {
    accounts[account]?.calls.contains { calls[$0].map { $0.held != nil || $0.isAnswered } ?? false } ?? false
  }

  /// A device as it is set up now.
  public func device(_ account: AccountID, _ id: DeviceID) -> Device? {
    accounts[account]?.account.devices.first { $0.id == id }
  }
}
