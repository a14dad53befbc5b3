import Cluster
public import Primitives
public import SIP
import Store
import Switchboard

/// SIP requests for calls of other nodes: passed to the call's home, its answer passed back.
extension NodeCore {
  /// What came by way of a peer is not passed on again.
  mutating func seek(_ account: AccountID, _ request: Request, _ id: ServerTransactionID, _ flow: Flow, now: Instant) -> [Action] {
    guard place != nil, fromPeers[id] == nil else { return nobodyHas(request, id, now: now) }
    if seeks[id] == nil { seeks[id] = Seek(account: account, request: request, flow: flow, deadline: now + Seek.patience) }
    return [.store(.whereabouts(account), .seek(id))]
  }

  mutating func found(_ id: ServerTransactionID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard let seek = seeks[id] else { return [] }
    var homes: [Holder] = []
    var isOneAway = reply == .unavailable
    if case .whereabouts(let found) = reply {
      homes = Set(found.calls.map(\.home)).filter { $0.node != ownership.node }.sorted()
      // A call of a former life is about to get another home.
      isOneAway = found.calls.contains { isOver($0.home) }
    }
    seeks[id]?.isOneAway = isOneAway
    // A store that is away, or has just lost what it had: the peers know what they have.
    if homes.isEmpty { homes = membership.peers.map(\.holder).sorted() }
    guard seek.request.method != .ack else {
      seeks[id] = nil
      return homes.map { .pass(seek.message(to: $0), to: $0.node, id) }
    }
    seeks[id]?.homes = homes[...]
    return askNext(id, now: now)
  }

  /// One home after the other, until one knows the call.
  private mutating func askNext(_ id: ServerTransactionID, now: Instant) -> [Action] {
    guard let seek = seeks[id] else { return [] }
    guard let home = seek.homes.first else { return seek.isOneAway ? lookLater(id, now: now) : giveUp(id, now: now) }
    seeks[id]?.homes.removeFirst()
    return [.pass(seek.message(to: home), to: home.node, id)]
  }

  public mutating func passAnswered(_ id: ServerTransactionID, _ result: Result<Bytes?, PeerFailure>, now: Instant) -> [Action] {
    guard seeks[id] != nil else { return [] }
    guard case .success(let bytes) = result else {
      seeks[id]?.isOneAway = true
      return askNext(id, now: now)
    }
    // It is not who it was: whoever has its calls next can answer.
    guard let bytes else {
      seeks[id]?.isOneAway = true
      return askNext(id, now: now)
    }
    guard case .response(let response)? = try? MessageParser.parse(bytes), response.status != 481 else {
      return askNext(id, now: now)
    }
    seeks[id] = nil
    return [.respond(id, response)]
  }

  /// A home has died, or the store is away: soon the call has another home, perhaps this node.
  private mutating func lookLater(_ id: ServerTransactionID, now: Instant) -> [Action] {
    guard let seek = seeks[id], now < seek.deadline else { return giveUp(id, now: now) }
    deadlines.set(now + Seek.pause, for: .seek(id))
    return []
  }

  mutating func seekAgain(_ id: ServerTransactionID, now: Instant) -> [Action] {
    guard let seek = seeks[id] else { return [] }
    return settle(switchboard.provider(event(of: seek.request, id, seek.flow), now: now), now: now)
  }

  private mutating func giveUp(_ id: ServerTransactionID, now: Instant) -> [Action] {
    guard let seek = seeks.removeValue(forKey: id) else { return [] }
    return seek.isOneAway
      ? settle(switchboard.undecided(seek.request, id), now: now) : nobodyHas(seek.request, id, now: now)
  }

  private mutating func nobodyHas(_ request: Request, _ id: ServerTransactionID, now: Instant) -> [Action] {
    settle(switchboard.nobodyHas(request, id), now: now)
  }

  /// A CANCEL of a call that is not here is one that fits no INVITE: its 200 would be a lie.
  private func event(of request: Request, _ id: ServerTransactionID, _ flow: Flow) -> TransactionLayer.Event {
    let isOurs = request.method == .cancel && switchboard.hasCall(of: id.ofInvite)
    return isOurs ? .cancel(of: id.ofInvite, request, id) : .request(request, id, from: flow)
  }

  // MARK: For peers

  /// A peer has a request for a call that may be at home here. `answerPassed` follows; nil: there is no answer to it.
  public mutating func passed(_ message: PassedMessage, _ peer: PeerRequestID, now: Instant) -> [Action] {
    guard case .request(let request)? = try? MessageParser.parse(message.message), let flow = try? Flow(record: message.flow),
      let id = try? ServerTransactionID(request), fromPeers[id] == nil, isMeant(message)
    else { return [.answerPassed(peer, nil)] }
    fromPeers[id] = peer
    guard request.method != .ack else {
      defer { fromPeers[id] = nil }
      return [.answerPassed(peer, nil)] + settle(switchboard.provider(event(of: request, id, flow), now: now), now: now)
    }
    deadlines.set(now + Self.longestTransaction, for: .passed(id))
    return settle(switchboard.provider(event(of: request, id, flow), now: now), now: now)
  }

  /// A node without a lease, or in another life, has nothing to say about the call.
  private func isMeant(_ message: PassedMessage) -> Bool {
    membership.holder.map { message.home == nil || message.home == $0 } ?? false
  }

  /// 64·T1 (RFC 3261 §17.1.2.2): later nobody waits for a response any more.
  private static let longestTransaction = Duration.seconds(32)
}

extension Seek {
  func message(to home: Holder) -> PassedMessage { PassedMessage(message: request.message.raw, flow: flow.record, home: home) }
}
