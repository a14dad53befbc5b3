import Primitives
import SIP

/// What is sent, and how it arrives.
extension World {
  func party(_ address: SocketAddress) -> Party? { Addresses.party(address, nodes: nodes.count, providers: providers.count) }

  mutating func sendDatagram(_ bytes: Bytes, from: SocketAddress, to: SocketAddress) {
    guard let sender = party(from), let receiver = party(to), !network.isCut(sender, receiver), !network.losesDatagram() else { return }
    queue.add(.datagram(from: from, to: receiver, bytes), at: now + network.delay(sender, receiver))
  }

  mutating func datagramArrives(_ bytes: Bytes, from: SocketAddress, to receiver: Party) {
    guard let sender = party(from), !network.isCut(sender, receiver) else { return }
    switch receiver {
    case .node(let index):
      guard nodes[index].isUp else { return }
      let flow = Flow(transport: .udp, local: nodes[index].address, remote: from)
      nodeGot(bytes, from: flow, at: index)
      arm(index)
    case .provider(let index): providerGot(bytes, from: Flow(transport: .udp, local: providers[index].address, remote: from), at: index)
    default: break
    }
  }

  // MARK: Wires

  mutating func open(_ client: Party, _ server: Party) -> Int {
    func life(_ party: Party) -> Int { party.node.map { nodes[$0].life } ?? 0 }
    wires.append(Wire(client: client, server: server, clientLife: life(client), serverLife: life(server)))
    return wires.count - 1
  }

  mutating func send(_ parcel: Parcel, over wire: Int, fromServer: Bool) {
    guard wires[wire].isOpen(atServer: fromServer) || parcel.isEnd else { return }
    let delay = network.delay(wires[wire].party(atServer: fromServer), wires[wire].party(atServer: !fromServer))
    let last = fromServer ? wires[wire].arrivals.1 : wires[wire].arrivals.0
    let arrival = max(now + delay, last)
    if fromServer { wires[wire].arrivals.1 = arrival } else { wires[wire].arrivals.0 = arrival }
    queue.add(.parcel(wire, atServer: !fromServer, parcel), at: arrival)
  }

  /// One side ends it; the other one hears of it, if anything gets through.
  mutating func close(_ wire: Int, atServer: Bool) {
    guard wires[wire].isOpen(atServer: atServer) else { return }
    wires[wire].close(atServer: atServer)
    if wires[wire].isOpen(atServer: !atServer) { send(.end, over: wire, fromServer: atServer) }
  }

  /// A process is gone; its host, where that is left, ends its connections.
  mutating func closeWires(of party: Party, life: Int, isHostUp: Bool) {
    for wire in wires.indices {
      for atServer in [false, true]
      where wires[wire].party(atServer: atServer) == party && wires[wire].life(atServer: atServer) == life
        && wires[wire].isOpen(atServer: atServer)
      {
        if isHostUp { close(wire, atServer: atServer) } else { wires[wire].close(atServer: atServer) }
      }
    }
  }

  mutating func arrives(_ parcel: Parcel, over wire: Int, atServer: Bool) {
    let (receiver, sender) = (wires[wire].party(atServer: atServer), wires[wire].party(atServer: !atServer))
    if network.isCut(receiver, sender) {
      // Whoever comes later waits behind it.
      stalled[Pair(receiver, sender), default: []].append((wire, atServer, parcel))
      return
    }
    if !atServer, !parcel.isEnd, redis.spoilt.contains(wire) { return }
    guard isThere(wire, atServer: atServer) else { return reject(parcel, wire, atServer: atServer) }
    switch parcel {
    case .end, .refused:
      wires[wire].close(atServer: atServer)
      ended(wire, atServer: atServer, receiver, isRefused: parcel.isRefusal)
    default: take(parcel, wire, atServer: atServer, receiver)
    }
  }

  private func isThere(_ wire: Int, atServer: Bool) -> Bool {
    guard wires[wire].isOpen(atServer: atServer) else { return false }
    guard let node = wires[wire].party(atServer: atServer).node else { return true }
    return nodes[node].life == wires[wire].life(atServer: atServer) && nodes[node].isUp
  }

  /// Nobody has that connection: the host says so, where there is one.
  private mutating func reject(_ parcel: Parcel, _ wire: Int, atServer: Bool) {
    if case .node(let index) = wires[wire].party(atServer: atServer), nodes[index].state == .down(isHostUp: false) { return }
    guard !parcel.isEnd else { return }
    let isRefused = parcel.isFirst && !isListening(wires[wire].party(atServer: atServer))
    wires[wire].close(atServer: atServer)
    send(isRefused ? .refused : .end, over: wire, fromServer: atServer)
  }

  private func isListening(_ party: Party) -> Bool { party.node.map { nodes[$0].isUp } ?? true }

  private mutating func ended(_ wire: Int, atServer: Bool, _ party: Party, isRefused: Bool) {
    switch party {
    case .node(let index): nodeLost(wire, atServer: atServer, isRefused: isRefused, at: index)
    case .phone(let index): phoneLost(wire, at: index)
    case .provider(let index): providerLost(wire, at: index)
    case .redis, .push: break
    }
  }

  private mutating func nodeLost(_ wire: Int, atServer: Bool, isRefused: Bool, at index: Int) {
    if nodes[index].store.wire == wire {
      storeEnded(index)
    } else if nodes[index].lines.numbers[wire] != nil {
      flowEnded(wire, at: index)
    } else if atServer {
      visitorsGone(wire, at: index)
    } else if isRefused {
      linkRefused(wire, at: index)
    } else {
      linkEnded(wire, at: index)
    }
    arm(index)
  }

  private mutating func take(_ parcel: Parcel, _ wire: Int, atServer: Bool, _ receiver: Party) {
    switch (receiver, parcel) {
    case (.redis, .command(let command, let tag)): redisGot(command, tag, over: wire)
    case (.phone(let index), .phoneHears(let status, let body)): phoneHears(status, body, over: wire, at: index)
    case (.provider(let index), .sip(let bytes)): providerGot(bytes, over: wire, at: index)
    case (.node(let index), _):
      nodeTakes(parcel, wire, atServer: atServer, at: index)
      arm(index)
    default: break
    }
  }

  private mutating func nodeTakes(_ parcel: Parcel, _ wire: Int, atServer: Bool, at index: Int) {
    switch parcel {
    case .sip(let bytes): nodeGot(bytes, over: wire, atServer: atServer, at: index)
    case .hello: send(.welcome, over: wire, fromServer: true)
    case .welcome: linkIsUp(wire, at: index)
    case .reply(let reply, let tag): replied(reply, tag, at: index)
    case .peerAsks(let id, let ask): peerAsks(id, ask, wire, at: index)
    case .peerSays(let id, let word): peerSaid(id, word, at: index)
    case .peerAbandons(let id): peerAbandons(id, wire, at: index)
    case .phoneAsks(let ask): phoneAsks(ask, wire, at: index)
    case .knock, .command, .phoneHears, .refused, .end: break
    }
  }

  /// The way is free again: what has waited arrives.
  mutating func healed(_ one: Party, _ other: Party) {
    for (wire, atServer, parcel) in stalled.removeValue(forKey: Pair(one, other)) ?? [] {
      take(Happening.parcel(wire, atServer: atServer, parcel))
    }
  }
}

extension Parcel {
  var isEnd: Bool {
    switch self {
    case .end, .refused: true
    default: false
    }
  }

  var isRefusal: Bool { if case .refused = self { true } else { false } }

  /// Whether it opens a connection.
  var isFirst: Bool {
    switch self {
    case .hello, .knock, .phoneAsks: true
    default: false
    }
  }
}
