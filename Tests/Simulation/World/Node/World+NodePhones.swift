import Core
import HTTP
import PhoneContract
import Primitives
import Store
import Switchboard

/// A node's side of phones: who asks is found out in the shell.
extension World {
  mutating func phoneAsks(_ ask: PhoneAsk, _ wire: Int, at index: Int) {
    let id = nodes[index].nextID()
    nodes[index].visits[id] = SimNode.Visit(wire: wire, cameAt: now, phone: ask)
    guard nodes[index].core.mayAct(now: now) else { return answer(id, Problem.unavailable(retryAfter: 1).response, at: index) }
    if case .setUp = ask.request {
      nodes[index].visits[id]?.account = ask.account
      useNonce(id, ask, at: index)
    } else {
      self.ask(.accountOf(ask.device), .accountOf(id), at: index)
    }
  }

  mutating func accountFound(_ id: UInt64, _ reply: StoreReply, at index: Int) {
    guard let ask = nodes[index].visits[id]?.phone else { return }
    switch reply {
    case .accountOf(let account?):
      nodes[index].visits[id]?.account = account
      if nodes[index].core.switchboard.device(account, ask.device) != nil { return useNonce(id, ask, at: index) }
      self.ask(.account(account), .account(id), at: index)
    case .accountOf(nil) where nodes[index].core.switchboard.isSure: answer(id, Problem(.notSetUp).response, at: index)
    default: answer(id, Problem.unavailable(retryAfter: 1).response, at: index)
    }
  }

  mutating func deviceRead(_ id: UInt64, _ reply: StoreReply, at index: Int) {
    guard let ask = nodes[index].visits[id]?.phone else { return }
    guard case .account(let stored) = reply else { return answer(id, Problem.unavailable(retryAfter: 1).response, at: index) }
    guard stored?.account.device(ask.device) != nil else { return answer(id, Problem(.notSetUp).response, at: index) }
    useNonce(id, ask, at: index)
  }

  private mutating func useNonce(_ id: UInt64, _ ask: PhoneAsk, at index: Int) {
    let nonce = Array("nonce-\(ask.device.text.prefix(4))-\(ask.serial)".utf8)
    self.ask(.useNonce(ask.device, nonce: nonce, until: now + Contract.nonceLifetime), .nonce(id), at: index)
  }

  mutating func nonceUsed(_ id: UInt64, _ reply: StoreReply, at index: Int) {
    guard let visit = nodes[index].visits[id], let ask = visit.phone, let account = visit.account else { return }
    switch reply {
    case .fresh: begin(id, ask, account, at: index)
    case .replayed: answer(id, Problem(.replayed).response, at: index)
    default: answer(id, Problem.tooManyRequests(retryAfter: 5).response, at: index)
    }
  }

  private mutating func begin(_ id: UInt64, _ ask: PhoneAsk, _ account: AccountID, at index: Int) {
    guard let cameAt = nodes[index].visits[id]?.cameAt else { return }
    nodes[index].visits[id]?.isBegun = true
    let encoded = ask.request.encoded
    let asked = ForwardedRequest(
      account: account, device: ask.device, method: encoded.method, path: encoded.path, query: encoded.query, body: encoded.body,
      age: now - cameAt)
    feed(index) { $0.phone(PhoneRequestID(id), ask.request, asked, key: ask.key, now: $1) }
  }

  /// One answer for each.
  mutating func answer(_ id: UInt64, _ response: HTTPResponse, at index: Int) {
    guard let visit = nodes[index].visits.removeValue(forKey: id) else { return }
    if let ask = visit.ask { return send(.peerSays(ask, .phone(response)), over: visit.wire, fromServer: true) }
    ledger.answers.answered(response.status)
    send(.phoneHears(status: response.status, body: response.body), over: visit.wire, fromServer: true)
  }

  mutating func answerPeer(_ id: UInt64, _ word: PeerWord, at index: Int) {
    guard let visit = nodes[index].visits.removeValue(forKey: id), let ask = visit.ask else { return }
    send(.peerSays(ask, word), over: visit.wire, fromServer: true)
  }

  /// A connection has ended, with all that was asked over it.
  mutating func visitorsGone(_ wire: Int, at index: Int) {
    let gone = nodes[index].visits.filter { $0.value.wire == wire }.keys.sorted()
    for id in gone { visitorGone(id, at: index) }
  }

  mutating func visitorGone(_ id: UInt64, at index: Int) {
    guard let visit = nodes[index].visits.removeValue(forKey: id), visit.isBegun else { return }
    feed(index) { $0.phoneGone(PhoneRequestID(id), now: $1) }
  }
}
