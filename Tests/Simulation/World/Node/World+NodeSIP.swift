import Core
import Primitives
import SIP
import Store
import Switchboard

/// A node's side of SIP: flows, and to whom the outcome of each request goes.
extension World {
  mutating func perform(_ actions: [TransactionLayer.Action], at index: Int) {
    for action in actions {
      guard nodes[index].isUp else { return }
      switch action {
      case .send(let bytes, let flow): transmit(bytes, over: flow, at: index)
      case .respond(let bytes, let target): transmit(bytes, to: target, at: index)
      case .deliver(let event): happened(event, at: index)
      case .wake(let moment):
        nodes[index].layerWake = moment
        arm(index)
      }
    }
  }

  /// What the layer does by itself.
  mutating func performUnasked(_ actions: [TransactionLayer.Action], at index: Int) {
    perform(nodes[index].core.mayAct(now: now) ? actions : actions.filter { !$0.isMessage }, at: index)
  }

  mutating func nodeGot(_ bytes: Bytes, from flow: Flow, at index: Int) {
    guard let message = try? MessageParser.parse(bytes) else { return }
    switch message {
    case .request(let request): performUnasked(nodes[index].layer.received(request, from: flow, now: now), at: index)
    case .response(let response): performUnasked(nodes[index].layer.received(response, from: flow, now: now), at: index)
    }
  }

  private mutating func happened(_ event: TransactionLayer.Event, at index: Int) {
    switch event {
    case .response(let response, let id): answered(id, response, at: index)
    case .timedOut(let id): unanswered(id, at: index)
    case .transportFailed(let id): transportFailed(id, at: index)
    default: feed(index) { $0.provider(event, now: $1) }
    }
  }

  mutating func adopt(_ invite: Request, _ last: Response?, _ flow: Flow, at index: Int) {
    guard let adopted = try? nodes[index].layer.adopt(invite: invite, last: last, from: flow, now: now) else { return }
    perform(adopted.1, at: index)
  }

  // MARK: Requests of ours

  mutating func locate(_ account: AccountID, at index: Int) {
    let provider = providers.firstIndex { $0.subscriber(account) != nil } ?? 0
    let target = Target(transport: plan.shape.transport, address: Addresses.provider(provider))
    let pause = Duration.milliseconds(Int64.random(in: 0...20, using: &nodes[index].random))
    queue.add(.nodeTimer(index, life: nodes[index].life, .located(account, [target])), at: now + pause)
  }

  mutating func register(_ account: AccountID, _ request: Request, _ target: Target, at index: Int) {
    let flow = flow(to: target, at: index)
    send(request, over: flow, .register(account, flow), at: index)
  }

  private mutating func flow(to target: Target, at index: Int) -> Flow {
    let local = nodes[index].address
    guard target.transport.isReliable else { return Flow(transport: .udp, local: local, remote: target.address) }
    if let open = nodes[index].lines.open(to: target.address) { return open }
    guard case .provider(let provider)? = party(target.address) else {
      return Flow(transport: target.transport, local: local, remote: target.address, connection: .max)
    }
    let wire = open(.node(index), .provider(provider))
    return nodes[index].lines.add(wire) {
      Flow(transport: target.transport, local: local, remote: target.address, connection: $0)
    }
  }

  private mutating func send(_ request: Request, over flow: Flow, _ purpose: SimNode.Purpose, at index: Int) {
    let (id, actions) = nodes[index].layer.send(request, over: flow, via: Array(nodes[index].address.text.utf8), now: now)
    if request.method != .ack { nodes[index].purposes[id] = purpose }
    perform(actions, at: index)
  }

  /// Over the connection that the call came by, where it leads to the next hop.
  mutating func send(_ request: Request, _ hop: URI, _ flow: Flow, _ call: CallID, at index: Int) {
    guard flow.transport.isReliable, hop.host.flatMap({ IPAddress($0) }) == flow.remote.ip else {
      return find(request, hop, flow, call, at: index)
    }
    send(request, over: flow, .dialog(call, request, hop: hop, flow), at: index)
  }

  private mutating func find(_ request: Request, _ hop: URI, _ flow: Flow, _ call: CallID, at index: Int) {
    guard let address = hop.host.flatMap({ IPAddress($0) }) else {
      return feed(index) { $0.dialogUnanswered(call, request.method, now: $1) }
    }
    let target = Target(transport: flow.transport, address: SocketAddress(ip: address, port: hop.port ?? Addresses.port))
    let way = self.flow(to: target, at: index)
    send(request, over: way, .dialog(call, request, hop: nil, flow), at: index)
  }

  // MARK: Outcomes

  private mutating func answered(_ id: ClientTransactionID, _ response: Response, at index: Int) {
    guard response.status >= 200, let purpose = nodes[index].purposes.removeValue(forKey: id) else { return }
    switch purpose {
    case .register(let account, let flow):
      if response.status < 300, flow.connection != 0 { nodes[index].lines.accounts[account] = flow.connection }
      feed(index) { $0.registerAnswered(account, response, now: $1) }
    case .dialog(let call, let request, _, _):
      // A 2xx to an INVITE may come again and wants its ACK each time.
      if request.method == .invite, response.status < 300 { nodes[index].purposes[id] = purpose }
      feed(index) { $0.dialogAnswered(call, response, to: request.method, now: $1) }
    }
  }

  private mutating func unanswered(_ id: ClientTransactionID, at index: Int) {
    switch nodes[index].purposes.removeValue(forKey: id) {
    case .register(let account, _): feed(index) { $0.registerFailed(account, now: $1) }
    case .dialog(let call, let request, _, _): feed(index) { $0.dialogUnanswered(call, request.method, now: $1) }
    case nil: break
    }
  }

  /// A request in a dialog has another way: where its next hop is.
  private mutating func transportFailed(_ id: ClientTransactionID, at index: Int) {
    guard case .dialog(let call, let request, let hop?, let flow) = nodes[index].purposes[id] else { return unanswered(id, at: index) }
    nodes[index].purposes[id] = nil
    find(request, hop, flow, call, at: index)
  }

  // MARK: Bytes

  private mutating func transmit(_ bytes: Bytes, over flow: Flow, at index: Int) {
    guard flow.transport.isReliable else { return sendDatagram(bytes, from: nodes[index].address, to: flow.remote) }
    guard let wire = nodes[index].lines.wire(of: flow) else {
      return perform(nodes[index].layer.transportFailed(flow), at: index)
    }
    send(.sip(bytes), over: wire, fromServer: isServer(wire, index))
  }

  /// RFC 3261 §18.2.2: over its flow, else to where the request came from.
  private mutating func transmit(_ bytes: Bytes, to target: ResponseTarget, at index: Int) {
    guard target.flow.transport.isReliable else { return sendDatagram(bytes, from: nodes[index].address, to: target.flow.remote) }
    let flow = nodes[index].lines.wire(of: target.flow) == nil ? flow(to: target.fallback, at: index) : target.flow
    transmit(bytes, over: flow, at: index)
  }

  private func isServer(_ wire: Int, _ index: Int) -> Bool { wires[wire].server == .node(index) }

  /// A provider has called.
  mutating func nodeGot(_ bytes: Bytes, over wire: Int, atServer: Bool, at index: Int) {
    if nodes[index].lines.numbers[wire] == nil, let provider = wires[wire].party(atServer: !atServer).provider {
      let local = nodes[index].address
      // From a port of its own: the number of the wire will do.
      let remote = SocketAddress(ip: Addresses.provider(provider).ip, port: UInt16(20_000 + wire % 40_000))
      _ = nodes[index].lines.add(wire) { Flow(transport: .tcp, local: local, remote: remote, connection: $0) }
    }
    guard let flow = nodes[index].lines.numbers[wire].flatMap({ nodes[index].lines.flows[$0] }) else { return }
    nodeGot(bytes, from: flow, at: index)
  }

  mutating func flowEnded(_ wire: Int, at index: Int) {
    guard let flow = nodes[index].lines.remove(wire) else { return }
    perform(nodes[index].layer.transportFailed(flow), at: index)
    for account in nodes[index].lines.accounts(on: flow.connection) {
      nodes[index].lines.accounts[account] = nil
      feed(index) { $0.connectionLost(account, now: $1) }
    }
  }
}
