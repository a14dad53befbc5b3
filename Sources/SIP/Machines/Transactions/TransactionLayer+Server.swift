public import Primitives

/// Requests that come in, and the responses to them.
extension TransactionLayer {
  /// A request from the network: repetitions are answered here, new ones go to the user.
  public mutating func received(_ request: Request, from flow: Flow, now: Instant) -> [Action] {
    guard let id = try? ServerTransactionID(request) else { return [] }
    if request.method == .ack { return ackReceived(request, id, flow, now) + wake() }
    if let known = servers[id] { return receivedAgain(known) }
    guard let stamped = try? request.stamped(source: flow.remote), let target = try? ResponseTarget(of: stamped, from: flow) else {
      return []
    }
    guard servers.count < limits.servers else { return [.respond(Self.overload(stamped), to: target)] }
    let machine: Transaction<InviteServerTransaction, ServerTransaction> =
      request.method == .invite
      ? .invite(InviteServerTransaction(isReliable: flow.transport.isReliable))
      : .other(ServerTransaction(isReliable: flow.transport.isReliable, now: now))
    return keep(Server(machine: machine, target: target), as: id) + [.deliver(event(of: stamped, id, flow))] + wake()
  }

  private func event(of request: Request, _ id: ServerTransactionID, _ flow: Flow) -> Event {
    if request.method == .cancel, servers[id.ofInvite] != nil { return .cancel(of: id.ofInvite, request, id) }
    return .request(request, id, from: flow)
  }

  /// The answer of a server that is full: it keeps nothing of the request (RFC 3261 §21.5.4).
  private static func overload(_ request: Request) -> Bytes {
    Response.make(to: request, status: 503, toTag: Bytes("full".utf8)) { $0.append(.retryAfter, "10") }.message.raw
  }

  private func receivedAgain(_ server: Server) -> [Action] {
    switch server.machine {
    case .invite(let machine):
      if case .send(let response) = machine.inviteReceivedAgain() { return [.respond(response.message.raw, to: server.target)] }
    case .other(let machine):
      if case .send(let response) = machine.requestReceivedAgain() { return [.respond(response.message.raw, to: server.target)] }
    }
    return []
  }

  private mutating func ackReceived(_ ack: Request, _ id: ServerTransactionID, _ flow: Flow, _ now: Instant) -> [Action] {
    guard var server = servers[id.ofInvite], case .invite(var machine) = server.machine else {
      return [.deliver(.request(ack, id, from: flow))]
    }
    let action = machine.ackReceived(now: now)
    server.machine = .invite(machine)
    let ended = keep(server, as: id.ofInvite)
    switch action {
    case .absorb: return ended
    case .deliver: return ended + [.deliver(.request(ack, id, from: flow))]
    case .acknowledged: return [.deliver(.acknowledged(id.ofInvite))] + ended
    }
  }

  /// Answers a request. Nothing happens where a final response went out already, or the transaction is over.
  public mutating func respond(to id: ServerTransactionID, with response: Response, now: Instant) -> [Action] {
    guard var server = servers[id] else { return [] }
    var sent: Response?
    switch server.machine {
    case .invite(var machine):
      if case .send(let response) = machine.respond(with: response, now: now) { sent = response }
      server.machine = .invite(machine)
    case .other(var machine):
      if case .send(let response) = machine.respond(with: response, now: now) { sent = response }
      server.machine = .other(machine)
    }
    let ended = keep(server, as: id)
    return (sent.map { [.respond($0.message.raw, to: server.target)] } ?? []) + ended + wake()
  }

  /// The ACK to the 2xx of this INVITE has come: the 2xx is repeated no more.
  public mutating func acknowledged(_ id: ServerTransactionID) -> [Action] {
    guard var server = servers[id], case .invite(var machine) = server.machine else { return [] }
    machine.acknowledged()
    server.machine = .invite(machine)
    return keep(server, as: id) + wake()
  }

  /// Takes over an INVITE that another node held, with the last response that it had sent. A final response is sent again from here.
  ///
  /// - Parameters:
  ///   - invite: as the other node's `request` event gave it.
  ///   - flow: where the other node had it from; with a connection that this node does not have, responses go to the fallback.
  /// - Throws: 400 for a request without a readable Via, which none has that was delivered.
  public mutating func adopt(invite: Request, last: Response?, from flow: Flow, now: Instant) throws(SIPError)
    -> (ServerTransactionID, [Action])
  {
    let id = try ServerTransactionID(invite)
    let provisional = last.flatMap { $0.status < 200 ? $0 : nil }
    let machine = InviteServerTransaction(isReliable: flow.transport.isReliable, last: provisional)
    let kept = keep(Server(machine: .invite(machine), target: try ResponseTarget(of: invite, from: flow)), as: id)
    guard let last, last.status >= 200 else { return (id, kept + wake()) }
    return (id, kept + respond(to: id, with: last, now: now))
  }

  mutating func serverDeadline(_ id: ServerTransactionID, _ now: Instant) -> [Action] {
    guard var server = servers[id] else { return [] }
    var actions: [Action] = []
    switch server.machine {
    case .invite(var machine):
      switch machine.deadlineReached(now: now) {
      case .send(let response): actions = [.respond(response.message.raw, to: server.target)]
      case .noACK: actions = [.deliver(.noACK(id))]
      case .end, .none: break
      }
      server.machine = .invite(machine)
    case .other(var machine):
      _ = machine.deadlineReached(now: now)
      server.machine = .other(machine)
    }
    return actions + keep(server, as: id)
  }
}

extension ResponseTarget {
  /// RFC 3261 §18.2.2, RFC 3581 §4. `maddr` is not followed: it would let anyone aim our responses at anyone.
  init(of request: Request, from flow: Flow) throws(SIPError) {
    let via = try request.topVia
    // A proxy that takes a connection by its address alone may send over TCP what it means to send over TLS; never the other way round.
    let transport = flow.transport == .tcp && via.transport.equalsIgnoringCase("TLS") ? .tls : flow.transport
    let fallback = SocketAddress(ip: flow.remote.ip, port: via.sentBy.port ?? transport.defaultPort)
    var sentBy = Array(via.sentBy.host)
    if let port = via.sentBy.port {
      sentBy.append(UInt8(ascii: ":"))
      sentBy.append(decimal: port)
    }
    var flow = flow
    if flow.transport == .udp, !via.wantsRport { flow.remote = fallback }
    self.init(flow: flow, fallback: Target(transport: transport, address: fallback), sentBy: sentBy)
  }
}
