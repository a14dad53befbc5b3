import PhoneContract
import Primitives
import SIP
import Store

/// The actions of one call become the actions of the node.
extension Switchboard {
  /// Lets something happen to a call, and sees to what follows from it.
  mutating func withCall(_ id: CallID, now: Instant, _ happen: (inout Call) -> [Call.Action]) -> [Action] {
    guard let place = calls.index(forKey: id) else { return [] }
    let actions = happen(&calls.values[place])
    deadlines.set(calls.values[place].nextDeadline, for: .call(id))
    return perform(actions, of: id, now: now)
  }

  /// In order; what stands behind a `save` waits for the store.
  private mutating func perform(_ actions: [Call.Action], of id: CallID, now: Instant) -> [Action] {
    if outboxes[id] != nil {
      outboxes[id]?.append(contentsOf: actions)
      return []
    }
    var out: [Action] = []
    for (index, action) in actions.enumerated() {
      if action == .save, let call = calls[id], !call.isOver {
        outboxes[id] = Array(actions[(index + 1)...])
        return out + [storing(.saveCall(call.account, id, call.record), then: .saved(id))]
      }
      out += perform(action, of: id, now: now)
    }
    return out
  }

  /// The store has the call, or could not take it: the home of a call acts either way, since only it may.
  mutating func callSaved(_ id: CallID, now: Instant) -> [Action] {
    guard let waiting = outboxes.removeValue(forKey: id) else { return [] }
    return perform(waiting, of: id, now: now)
  }

  private mutating func perform(_ action: Call.Action, of id: CallID, now: Instant) -> [Action] {
    guard let call = calls[id] else { return [] }
    switch action {
    case .respond(let status): return [.respond(call.transaction, response(to: call, status, sdp: nil))]
    case .accept(let sdp): return accepted(call, sdp: sdp)
    case .acknowledged: return [.acknowledged(call.transaction)]
    case .respondInDialog(let transaction, let status, let sdp):
      return answerInDialog(transaction, status, sdp: sdp, call: call)
    case .bye: return sendBye(id)
    case .announce(let devices): return devices.compactMap { device(call.account, $0) }.map { .announce(id, $0, call.caller, at: now) }
    case .withdraw(let device): return [.withdraw(id, device)]
    case .stop(let device, let why): return self.device(call.account, device).map { [.stop(id, $0, why, at: now)] } ?? []
    case .reply(let request, let reply): return reply(request, reply, now: now)
    case .save: return []
    case .releaseHeld: return releaseHeld(call)
    case .releaseLine(let device, let line): return release(call, device, line)
    case .endedUnanswered(let device, let line):
      phones.missed(DeviceLine(device: device, line: line), now: now)
      deadlines.set(phones.nextForgetting, for: .memory)
      return release(call, device, line)
    case .tokenGone(let device): return tokenGone(call.account, device)
    case .note(let note): return [.note(note)]
    case .over: return forget(call)
    }
  }

  private mutating func accepted(_ call: Call, sdp: Bytes) -> [Action] {
    guard let line = call.answeredOn, let callID = try? call.invite.callID else { return [] }
    callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = call.id
    callOfLine[line] = call.id
    return [.respond(call.transaction, response(to: call, 200, sdp: sdp))]
  }

  private mutating func releaseHeld(_ call: Call) -> [Action] {
    if ringing[call.account] == call.id { ringing[call.account] = nil }
    return [storing(.releaseHeld(call.account, call.id), then: .nothing)]
  }

  private mutating func release(_ call: Call, _ device: DeviceID, _ line: Line) -> [Action] {
    [storing(.releaseLine(call.account, device, line.rawValue, call.id), then: .nothing)]
  }

  private mutating func forget(_ call: Call) -> [Action] {
    calls[call.id] = nil
    outboxes[call.id] = nil
    callOfTransaction[call.transaction] = nil
    deadlines.set(nil, for: .call(call.id))
    if let callID = try? call.invite.callID { callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = nil }
    if let line = call.answeredOn, callOfLine[line] == call.id { callOfLine[line] = nil }
    return [storing(.removeCall(call.account, call.id), then: .nothing)]
  }

  private func device(_ account: AccountID, _ id: DeviceID) -> Device? {
    accounts[account]?.account.devices.first { $0.id == id }
  }
}
