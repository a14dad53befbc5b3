public import Primitives

/// Requests of ours, and the responses to them.
extension TransactionLayer {
  /// Sends a request in a transaction of its own. An ACK, which has none, is only sent.
  ///
  /// - Parameters:
  ///   - request: without our Via, which is put on top with a new branch.
  ///   - sentBy: host and port of this node for the Via.
  public mutating func send(_ request: Request, over flow: Flow, via sentBy: Bytes, now: Instant) -> (ClientTransactionID, [Action]) {
    let branch = Bytes("z9hG4bK".utf8) + random.token(22)
    let whole = request.inserting(.via, Self.via(flow.transport, sentBy, branch))
    let id = ClientTransactionID(branch: branch, method: request.method)
    return (id, start(whole, id, flow, now))
  }

  private static func via(_ transport: Transport, _ sentBy: Bytes, _ branch: Bytes) -> Bytes {
    var via = Bytes()
    via.append("SIP/2.0/")
    via.append(transport.viaName)
    via.append(" ")
    via.append(contentsOf: sentBy)
    via.append(";rport;branch=")
    via.append(contentsOf: branch)
    return via
  }

  private mutating func start(_ request: Request, _ id: ClientTransactionID, _ flow: Flow, _ now: Instant) -> [Action] {
    let send = Action.send(request.message.raw, to: flow)
    if request.method == .ack { return [send] }
    guard clients.count < limits.clients else { return [.deliver(.transportFailed(id))] }
    let isReliable = flow.transport.isReliable
    let machine: Transaction<InviteClientTransaction, ClientTransaction> =
      request.method == .invite
      ? .invite(InviteClientTransaction(request: request, isReliable: isReliable, now: now))
      : .other(ClientTransaction(request: request, isReliable: isReliable, now: now))
    keep(Client(machine: machine, flow: flow), as: id)
    return [send] + wake()
  }

  /// Sends a CANCEL for an INVITE of ours that rings (RFC 3261 §9.1); nil where there is nothing to cancel, or nothing yet: before a
  /// provisional response the peer might not know the INVITE.
  public mutating func cancel(_ invite: ClientTransactionID, now: Instant) -> (ClientTransactionID, [Action])? {
    guard let client = clients[invite], case .invite(let machine) = client.machine, case .proceeding = machine.state else { return nil }
    let id = ClientTransactionID(branch: invite.branch, method: .cancel)
    guard clients[id] == nil else { return nil }
    return (id, start(machine.request.cancelling(), id, client.flow, now))
  }

  /// A response from the network. One that fits no transaction is dropped (§18.1.2 leaves it to the user, who has none for it).
  public mutating func received(_ response: Response, from flow: Flow, now: Instant) -> [Action] {
    guard let id = try? ClientTransactionID(response), var client = clients[id] else { return [] }
    var actions: [Action] = []
    switch client.machine {
    case .invite(var machine):
      switch machine.received(response, now: now) {
      case .deliver: actions = [.deliver(.response(response, id))]
      case .acknowledge(let ack, let deliver):
        actions = [.send(ack.message.raw, to: client.flow)] + (deliver ? [.deliver(.response(response, id))] : [])
      case .none: break
      }
      client.machine = .invite(machine)
    case .other(var machine):
      if machine.received(response, now: now) == .deliver { actions = [.deliver(.response(response, id))] }
      client.machine = .other(machine)
    }
    keep(client, as: id)
    return actions + wake()
  }

  /// The flow is gone, or the network said that nobody is there: what waits for a response on it has failed (§17.1.4).
  public mutating func transportFailed(_ flow: Flow) -> [Action] {
    let concerned = clients.filter { $0.value.flow == flow }.keys.sorted { $0.branch.lexicographicallyPrecedes($1.branch) }
    return concerned.flatMap { transportFailed($0) } + wake()
  }

  private mutating func transportFailed(_ id: ClientTransactionID) -> [Action] {
    guard var client = clients[id] else { return [] }
    var hasFailed = false
    switch client.machine {
    case .invite(var machine):
      hasFailed = machine.transportFailed() == .failed
      client.machine = .invite(machine)
    case .other(var machine):
      hasFailed = machine.transportFailed() == .failed
      client.machine = .other(machine)
    }
    keep(client, as: id)
    return hasFailed ? [.deliver(.transportFailed(id))] : []
  }

  mutating func clientDeadline(_ id: ClientTransactionID, _ now: Instant) -> [Action] {
    guard var client = clients[id] else { return [] }
    let action: ClientTransaction.DeadlineAction
    switch client.machine {
    case .invite(var machine):
      action = machine.deadlineReached(now: now)
      client.machine = .invite(machine)
    case .other(var machine):
      action = machine.deadlineReached(now: now)
      client.machine = .other(machine)
    }
    keep(client, as: id)
    return switch action {
    case .send(let request): [.send(request.message.raw, to: client.flow)]
    case .timedOut: [.deliver(.timedOut(id))]
    case .end, .none: []
    }
  }
}
