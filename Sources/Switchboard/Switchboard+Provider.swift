import PhoneContract
public import Primitives
public import SIP
import Store

/// What comes from a provider.
extension Switchboard {
  public mutating func provider(_ event: TransactionLayer.Event, now: Instant) -> [Action] {
    if let waits = putOff(event, now: now) { return waits }
    switch event {
    case .request(let request, let id, let flow): return requestReceived(request, id, flow, now: now)
    case .cancel(let invite, let request, let id): return cancelReceived(invite, request, id, now: now)
    case .noACK(let id):
      return callOfTransaction[id].map { call in withCall(call, now: now) { $0.acknowledgementMissing(now: now) } } ?? []
    case .acknowledged(let id): return refusalHeard(id, now: now)
    case .ended(let id): return transactionEnded(id, now: now)
    case .response, .timedOut, .transportFailed: return []
    }
  }

  private mutating func refusalHeard(_ id: ServerTransactionID, now: Instant) -> [Action] {
    callOfTransaction[id].map { call in withCall(call, now: now) { $0.refusalHeard() } } ?? []
  }

  /// A peer has the transaction, and its answer.
  public mutating func peerAnswered(_ id: ServerTransactionID) { callOfTransaction[id] = nil }

  private mutating func transactionEnded(_ id: ServerTransactionID, now: Instant) -> [Action] {
    let heard = refusalHeard(id, now: now)
    callOfTransaction[id] = nil
    return heard
  }

  private mutating func requestReceived(_ request: Request, _ id: ServerTransactionID, _ flow: Flow, now: Instant) -> [Action] {
    if let tag = (try? request.toTag) ?? nil { return inDialog(request, toTag: tag, id, flow, now: now) }
    switch request.method {
    case .invite: return inviteReceived(request, id, flow, now: now)
    case .ack: return []
    case .options: return [.respond(id, capabilities(of: request))]
    // It came before the call: to a node that was about to adopt it.
    case .cancel where hasCall(of: id.ofInvite): return cancelReceived(id.ofInvite, request, id, now: now)
    case .cancel, .bye, .prack, .update, .info: return elsewhere(request, id, flow) ?? refuse(request, id, 481)
    case .notify: return refuse(request, id, 489)
    case .register, .message, .subscribe, .publish, .refer: return refuse(request, id, 405)
    case .other: return refuse(request, id, 501)
    }
  }

  // MARK: INVITE

  public func hasCall(of invite: ServerTransactionID) -> Bool { callOfTransaction[invite] != nil || visits[invite] != nil }

  mutating func inviteReceived(_ invite: Request, _ id: ServerTransactionID, _ flow: Flow, now: Instant) -> [Action] {
    guard let known = account(for: invite, from: flow) else { return visit(invite, id, flow) ?? strangerCalls(invite, id, flow) }
    guard known.fence == nil, isRecording else { return begin(invite, id, flow, for: known, now: now) }
    return visit(Visit(account: known.account.id, reason: .invite(invite, id, flow)))
  }

  /// Its account has been read.
  mutating func inviteForGuest(_ invite: Request, _ id: ServerTransactionID, _ flow: Flow, now: Instant) -> [Action] {
    account(for: invite, from: flow).map { begin(invite, id, flow, for: $0, now: now) } ?? strangerCalls(invite, id, flow)
  }

  private mutating func begin(
    _ invite: Request, _ id: ServerTransactionID, _ flow: Flow, for account: AccountState, now: Instant
  ) -> [Action] {
    guard providers.isProvider(flow.remote.ip, of: account.account.id) else {
      return [.note(.callRejected(.foreignAddress))] + refuse(invite, id, 403)
    }
    let trying = Action.respond(id, Response.make(to: invite, status: 100, toTag: nil))
    do {
      let offer = try acceptable(invite)
      return [trying] + claim(invite, id, flow, offer: offer, account: account, now: now)
    } catch {
      return [trying, .note(.callRejected(error.why)), .respond(id, error.response(to: invite, toTag: newTag()))]
    }
  }

  /// Claims the account's held slot; the call begins when the store says that it is ours.
  private mutating func claim(
    _ invite: Request, _ id: ServerTransactionID, _ flow: Flow, offer: Bytes?, account: AccountState, now: Instant
  ) -> [Action] {
    let tag = newTag()
    guard let identity = try? RequestIdentity(invite), (try? Dialog(accepting: invite, localTag: tag)) != nil else {
      return [.note(.callRejected(.malformed))] + refuse(invite, id, 400)
    }
    let answered = account.calls.count { calls[$0]?.isAnswered == true }
    guard answered < settings.answeredCalls, calls.count < Self.mostCalls else {
      if account.calls.contains(where: { calls[$0]?.identity == identity }) {
        return [.note(.callRejected(.merged))] + refuse(invite, id, 482)
      }
      return [.note(.callRejected(.busy))] + refuse(invite, id, 486)
    }
    let call = Call(
      id: CallID(from: &random), account: account.account.id, invite: invite, transaction: id, flow: flow, localTag: tag,
      caller: Caller(of: invite),
      offer: offer, began: now)
    calls[call.id] = call
    callOfTransaction[id] = call.id
    accounts[call.account]?.calls.insert(call.id)
    return claimSlot(call, now: now)
  }

  /// A caller whose provider has our 100 and who hears nothing more for so long is told that it cannot be now. Until then a store that was
  /// away for a fail-over is back, and everybody has said what he had.
  static let longestClaim = Duration.seconds(24)

  mutating func claimSlot(_ call: Call, now: Instant) -> [Action] {
    guard let copy = rungCopy(of: call) else { return claimSlot(call, isRepeated: false) }
    return copy.transaction == call.transaction ? forgetRetransmission(call.id, now: now) : rejected(call, 482, .merged, now: now)
  }

  /// It came here before, and rang: the store may have lost that, and not heard it again yet.
  private func rungCopy(of call: Call) -> Call? {
    guard let others = accounts[call.account]?.calls, others.count > 1, let identity = call.identity else { return nil }
    return others.lazy.compactMap { calls[$0] }.first { other in
      other.id != call.id && other.slot == nil && !other.neverRang && other.identity == identity
    }
  }

  /// Its INVITE came before, to the node that died or to this one's former life, which may have rung: whoever has that call now says how
  /// it ends, and here nothing is said about it.
  mutating func forgetRetransmission(_ id: CallID, now: Instant) -> [Action] {
    guard let call = calls[id] else { return [] }
    let record = call.isWaitRecorded ? pay(.removeCall(call.account, id, home: holder)) : []
    return yield(id, now: now) + unclaimHeld(call, isOver: true) + record
  }

  mutating func claimSlot(_ call: Call, isRepeated: Bool) -> [Action] {
    // Its caller has gone: the next one is not to find the slot taken for nobody.
    guard call.slot == .asked else {
      neverBegun(call)
      return unclaimHeld(call, isOver: false)
    }
    let mayClaim = settling.isSettled && !justRestored.contains(call.account)
    return mayClaim ? claimSlot(of: call, then: .hold(call.id, isRepeated: isRepeated)) : recordWait(of: call.id)
  }

  /// Its provider has its 100 and sends the INVITE no more: while it waits here the store has it for the next home. So many of an account
  /// that the one which rings finds room.
  private mutating func recordWait(of id: CallID) -> [Action] {
    guard isRecording, let call = calls[id], accounts[call.account]?.calls.count ?? 0 <= Self.mostRecordedWaiting else { return [] }
    calls[id]?.isWaitRecorded = true
    return save(id)
  }

  private static let mostRecordedWaiting = 4

  mutating func slotClaimed(_ id: CallID, isRepeated: Bool, _ reply: StoreReply, now: Instant) -> [Action] {
    // Asked twice, it is answered twice.
    guard let call = calls[id], call.slot != nil else { return [] }
    switch reply {
    // It was asked before the store went, and another one has answered, which may not know yet whose the slot is.
    case .granted where !settling.isSettled:
      return unclaimHeld(call, isOver: false) + recordWait(of: id)
    case .granted:
      let devices = accounts[call.account]?.ringingDevices ?? []
      let protection = settings.protection
      ringing[call.account] = id
      return withCall(id, now: now) { $0.begin(devices: devices, protection: protection, now: now) }
    case .merged: return rejected(call, 482, .merged, now: now)
    case .retransmission: return forgetRetransmission(id, now: now)
    case .noAccount: return forgottenByStore(call, isRepeated: isRepeated, now: now)
    case .busy: return rejected(call, 486, .busy, now: now)
    // Another home has adopted it.
    case .fenced where call.isWaitRecorded: return seekHome(of: id)
    // It may have been done: asked again, it is granted once more.
    case .unavailable where !isRepeated: return claimSlot(call, isRepeated: true)
    case .unavailable: return claimLater(call, now: now) ?? withoutSlot(call, now: now)
    default: return withoutSlot(call, now: now)
    }
  }

  mutating func withoutSlot(_ call: Call, now: Instant) -> [Action] {
    rejected(call, 503, .overloaded, now: now) + (call.isWaitRecorded ? [] : unclaimHeld(call, isOver: false))
  }

  /// The provider has its 100 and waits; the store may only be changing its primary, or be told by an owner what it has forgotten. A node
  /// that stands down may refuse nobody: it asks on until it knows more.
  private mutating func claimLater(_ call: Call, now: Instant) -> [Action]? {
    guard call.slot == .asked, isPassive || now - call.began < Self.longestClaim else { return nil }
    owe(.slot(call.id), now: now)
    return []
  }

  private mutating func forgottenByStore(_ call: Call, isRepeated: Bool, now: Instant) -> [Action] {
    guard let known = accounts[call.account], !known.isRetired else { return rejected(call, 404, .unknownAccount, now: now) }
    guard !isRepeated, let fence = known.fence else { return claimLater(call, now: now) ?? rejected(call, 404, .unknownAccount, now: now) }
    letHomesSpeak(of: call.account, now: now)
    return restore(call.account, by: fence) + recordWait(of: call.id)
  }

  private mutating func rejected(_ call: Call, _ status: Int, _ why: Note.Rejection, now: Instant) -> [Action] {
    guard !call.isWaitRecorded else {
      return [.note(.callRejected(why))] + withCall(call.id, now: now) { $0.notBegun(status) + $0.finished() }
    }
    neverBegun(call)
    let answer = call.slot == .asked ? [Action.respond(call.transaction, response(to: call, status, sdp: nil))] : []
    return [.note(.callRejected(why))] + answer
  }

  /// No slot to give back, nobody to tell.
  private mutating func neverBegun(_ call: Call) {
    calls[call.id] = nil
    inDoubt.remove(call.id)
    accounts[call.account]?.calls.remove(call.id)
    forgetGuest(call.account)
  }

  /// CANCEL has its own answer whatever becomes of the INVITE, also where that has its final response (RFC 3261 §9.2): not before the
  /// store has the end of the call, for it is sent again until then. One that fits no INVITE comes as a request of its own and gets 481.
  private mutating func cancelReceived(
    _ invite: ServerTransactionID, _ cancel: Request, _ id: ServerTransactionID, now: Instant
  ) -> [Action] {
    guard let call = callOfTransaction[invite].flatMap({ calls[$0] }) else {
      if visits[invite] != nil { visits[invite] = true }
      return [answer(to: cancel, id, tag: newTag())]
    }
    let elsewhere = cancel.saysAnsweredElsewhere
    return withCall(call.id, now: now) {
      $0.cancel = cancel
      return [.answerCancel(id, cancel)] + $0.cancelReceived(isAnsweredElsewhere: elsewhere, now: now)
    }
  }

  func answer(to cancel: Request, _ id: ServerTransactionID, tag: Bytes) -> Action {
    .respond(id, Response.make(to: cancel, status: 200, toTag: tag))
  }

  /// Whoever calls an account that is not here: a provider is told, a scanner hears nothing.
  mutating func strangerCalls(_ invite: Request, _ id: ServerTransactionID, _ flow: Flow) -> [Action] {
    guard providers.isProvider(flow.remote.ip) else { return [.note(.callRejected(.unknownAccount)), .drop(id)] }
    return [.note(.callRejected(.unknownAccount))] + refuse(invite, id, 404)
  }

  // MARK: In a dialog

  private mutating func inDialog(
    _ request: Request, toTag: Slice, _ id: ServerTransactionID, _ flow: Flow, now: Instant
  ) -> [Action] {
    guard let callID = try? request.callID, let call = callOfDialog[DialogKey(callID: Array(callID), localTag: Array(toTag))] else {
      return elsewhere(request, id, flow) ?? refuse(request, id, 481)
    }
    return withCall(call, now: now) { $0.requestReceived(request, id, now: now) }
  }

  /// A 2xx to a re-INVITE or UPDATE says who refreshes the session (RFC 4028 §9).
  mutating func answerInDialog(
    _ id: ServerTransactionID, _ request: Request, _ status: Int, sdp: Bytes?, call: Call, now: Instant
  ) -> [Action] {
    let isRefresh = status == 200 && (request.method == .invite || request.method == .update)
    let timer = isRefresh ? agree(on: request, call.id, now: now) : nil
    if isRefresh, request.method == .invite { callOfTransaction[id] = call.id }
    return [
      .respond(id, response(to: request, status, toTag: nil, sdp: sdp, timer: timer, account: call.account, flow: call.flow))
    ]
  }

  /// The session timer that our 2xx to this request agrees on.
  mutating func agree(on request: Request, _ id: CallID, now: Instant) -> SessionTimer.Answer? {
    guard let answer = calls[id]?.talk?.timer.answer(to: request) else { return nil }
    calls[id]?.talk?.timer.answered(answer, now: now)
    deadlines.set(calls[id]?.nextDeadline, for: .call(id))
    return answer
  }

  // MARK: Small answers

  mutating func refuse(_ request: Request, _ id: ServerTransactionID, _ status: Int) -> [Action] {
    guard request.method != .ack else { return [] }
    let response = Response.make(to: request, status: status, toTag: newTag()) { builder in
      if status == 405 || status == 501 { builder.appendCapabilities() }
    }
    return [.respond(id, response)]
  }

  /// RFC 3261 §11.2; the same with and without a user part: providers drop a registration whose OPTIONS stay unanswered.
  private mutating func capabilities(of request: Request) -> Response {
    let unknown = request.unknownOptions
    return Response.make(to: request, status: unknown.isEmpty ? 200 : 420, toTag: newTag()) { builder in
      if unknown.isEmpty { builder.appendCapabilities() } else { builder.append(unsupported: unknown) }
    }
  }

  mutating func newTag() -> Bytes { random.token(16) }

  /// Calls on one node at once, rung or answered; above that the next one hears busy.
  static let mostCalls = 20_000
}
