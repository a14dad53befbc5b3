public import Primitives
public import SIP
public import Store

/// Requests of ours inside a dialog, and what comes back.
extension Switchboard {
  /// The final response to a request that `send` named the call for.
  public mutating func dialogAnswered(_ id: CallID, _ response: Response, to method: Method, now: Instant) -> [Action] {
    if response.status == 401 || response.status == 407 {
      let again = answerChallenge(id, response, to: method)
      guard again.isEmpty else { return again }
    }
    let again = leap(id, response, to: method)
    guard again.isEmpty else { return again }
    guard method != .bye else { return withCall(id, now: now) { $0.byeAnswered() } }
    guard let place = calls.index(forKey: id) else { return [] }
    let actions = calls.values[place].responded(response, to: method, now: now, random: &random)
    return withCall(id, now: now) { _ in actions }
  }

  /// No response came, or there was no way to the target.
  public mutating func dialogUnanswered(_ id: CallID, _ method: Method, now: Instant) -> [Action] {
    withCall(id, now: now) { $0.unanswered(method, now: now) }
  }

  mutating func send(_ id: CallID, _ method: Method, write: (inout MessageBuilder) -> Void = { _ in }) -> [Action] {
    guard let call = calls[id], let hop = try? (call.talk?.dialog.nextHop).flatMap({ try URI($0[...]) }) else { return [] }
    let contact = method == .bye ? nil : contact(call.account, call.flow.transport)
    let body = method == .invite ? call.talk?.said ?? [] : []
    let request = calls[id]?.talk?.dialog.request(method, contact: contact, body: body) { builder in
      write(&builder)
      if method != .bye { builder.appendCapabilities() }
      if !body.isEmpty { builder.append(.contentType, "application/sdp") }
    }
    return request.map { [.send($0, nextHop: hop, over: call.flow, id)] } ?? []
  }

  /// A 2xx to a re-INVITE of ours wants its ACK each time that it comes (RFC 3261 §13.2.2.4).
  func acknowledge(_ id: CallID, _ number: UInt32) -> [Action] {
    guard let call = calls[id], let dialog = call.talk?.dialog, let hop = try? URI(dialog.nextHop[...]) else { return [] }
    return [.send(dialog.ack(cseq: number), nextHop: hop, over: call.flow, id)]
  }

  mutating func sendRefresh(
    _ id: CallID, _ refresh: SessionTimer.Refresh, write: (inout MessageBuilder) -> Void = { _ in }
  ) -> [Action] {
    send(id, refresh.method) { builder in
      builder.append(.sessionExpires) { $0.append(refresh.sessionExpires) }
      builder.append(.minSE) { $0.append(decimal: refresh.minSE) }
      write(&builder)
    }
  }
}
