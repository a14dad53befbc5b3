import Primitives
import SIP

/// A provider's transactions and connections.
extension World {
  mutating func perform(_ actions: [TransactionLayer.Action], provider index: Int) {
    for action in actions {
      switch action {
      case .send(let bytes, let flow): transmit(bytes, over: flow, provider: index)
      case .respond(let bytes, let target): transmit(bytes, over: target.flow, provider: index)
      case .deliver(let event): happened(event, provider: index)
      case .wake(let moment):
        providers[index].layerWake = moment
        armProvider(index)
      }
    }
  }

  private mutating func armProvider(_ index: Int) {
    guard let due = providers[index].layerWake else { return }
    if let armed = providers[index].armed, armed <= due { return }
    providers[index].armed = due
    queue.add(.providerWakes(index), at: max(due, now))
  }

  mutating func wakeProvider(_ index: Int) {
    if let armed = providers[index].armed, armed <= now { providers[index].armed = nil }
    if let due = providers[index].layerWake, due <= now {
      providers[index].layerWake = nil
      perform(providers[index].layer.deadlineReached(now: now), provider: index)
    }
    armProvider(index)
  }

  private mutating func transmit(_ bytes: Bytes, over flow: Flow, provider index: Int) {
    guard flow.transport.isReliable else { return sendDatagram(bytes, from: providers[index].address, to: flow.remote) }
    guard let wire = providers[index].wires[flow.connection] else { return transmitAnew(bytes, to: flow.remote, provider: index) }
    send(.sip(bytes), over: wire, fromServer: wires[wire].server == .provider(index))
  }

  /// Over a new connection to where the other side listens, since the old one is gone.
  private mutating func transmitAnew(_ bytes: Bytes, to remote: SocketAddress, provider index: Int) {
    let address = SocketAddress(ip: remote.ip, port: Addresses.port)
    let flow = flow(to: address, preferring: nil, provider: index)
    guard let wire = providers[index].wires[flow.connection] else { return }
    send(.sip(bytes), over: wire, fromServer: wires[wire].server == .provider(index))
  }

  /// The way to an address: the connection that is there, or a new one.
  mutating func flow(to address: SocketAddress, preferring wire: Int?, provider index: Int) -> Flow {
    guard providers[index].transport.isReliable else {
      return Flow(transport: .udp, local: providers[index].address, remote: address)
    }
    if let number = wire.flatMap({ providers[index].numbers[$0] }), let flow = providers[index].flows[number] { return flow }
    if let open = providers[index].flows.values.filter({ $0.remote.ip == address.ip }).min(by: { $0.connection < $1.connection }) {
      return open
    }
    guard let party = party(address) else {
      return Flow(transport: .tcp, local: providers[index].address, remote: address, connection: .max)
    }
    return providers[index].add(open(.provider(index), party), remote: address)
  }

  mutating func providerGot(_ bytes: Bytes, over wire: Int, at index: Int) {
    if providers[index].numbers[wire] == nil, let node = wires[wire].client.node {
      _ = providers[index].add(wire, remote: SocketAddress(ip: Addresses.node(node).ip, port: UInt16(20_000 + wire % 40_000)))
    }
    guard let flow = providers[index].numbers[wire].flatMap({ providers[index].flows[$0] }) else { return }
    providerGot(bytes, from: flow, at: index)
  }

  /// What waits for an answer goes on waiting: it may come over another connection (RFC 3261 §18.2.2).
  mutating func providerLost(_ wire: Int, at index: Int) { _ = providers[index].remove(wire) }

  mutating func providerGot(_ bytes: Bytes, from flow: Flow, at index: Int) {
    guard let message = try? MessageParser.parse(bytes) else { return ledger.note("a message that nobody can read") }
    switch message {
    case .request(let request): perform(providers[index].layer.received(request, from: flow, now: now), provider: index)
    case .response(let response):
      seen(response, at: index)
      perform(providers[index].layer.received(response, from: flow, now: now), provider: index)
    }
  }

  private mutating func happened(_ event: TransactionLayer.Event, provider index: Int) {
    switch event {
    case .request(let request, let id, let flow):
      let response = request.method == .register ? registered(request, flow, at: index) : answer(request, provider: index)
      guard let response, request.method != .ack else { return }
      perform(providers[index].layer.respond(to: id, with: response, now: now), provider: index)
    case .response(let response, let id): answered(id, response, provider: index)
    case .timedOut(let id), .transportFailed(let id): unanswered(id, provider: index)
    case .ended, .noACK, .acknowledged, .cancel: break
    }
  }
}
