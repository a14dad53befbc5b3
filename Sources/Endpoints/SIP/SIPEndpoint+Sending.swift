internal import Cryptography
internal import Network
public import Primitives
public import SIP

/// What goes to the network.
extension SIPEndpoint {
  /// The flow to a hop: the connection that is there, or one that is begun now. It ends by `onFlowEnded`.
  public func flow(to hop: SIPHop) -> Flow {
    let address = hop.target.address
    guard hop.target.transport != .udp else {
      // Without a socket of this family the send fails, and says so.
      let local = socket(for: address.ip)?.local ?? SocketAddress(ip: address.ip, port: 0)
      return Flow(transport: .udp, local: local, remote: address)
    }
    if let number = outgoing[hop], let connection = connections[number] { return connection.flow }
    return connect(hop, address).flow
  }

  private func connect(_ hop: SIPHop, _ address: SocketAddress) -> SIPConnection {
    let transport = hop.target.transport
    let local = SocketAddress(ip: SourceAddress.toward(address) ?? address.ip, port: listeningPort(transport, address.ip) ?? 0)
    let connection = makeConnection(Flow(transport: transport, local: local, remote: address, connection: nextConnection()))
    guard outgoing.count < settings.outgoingConnections, transport == .tcp || settings.clientTLS != nil else {
      Loop.soon { connection.failed() }
      return connection
    }
    outgoing[hop] = connection.flow.connection
    hops[connection.flow.connection] = hop
    let tls = settings.clientTLS.flatMap { context in
      transport == .tls ? (context, hop.identity ?? ServerIdentity(serverName: nil, acceptedNames: [])) : nil
    }
    Connector.connect(to: address, tls: tls, timeout: settings.connectTimeout, limits: settings.stream) { result in
      switch result {
      case .success(let stream): connection.opened(stream, isAccepted: false)
      case .failure: connection.failed()
      }
    }
    return connection
  }

  private func socket(for address: IPAddress) -> UDPSocket? { sockets.first { $0.local.ip.isIPv6 == address.isIPv6 } }

  private func listeningPort(_ transport: Transport, _ address: IPAddress) -> UInt16? {
    listeners.first { $0.transport == transport && $0.listener.local.ip.isIPv6 == address.isIPv6 }?.listener.local.port
  }

  /// Host and port of this node for a Via or a Contact of what goes over the flow.
  public func sentBy(_ flow: Flow) -> Bytes {
    var out = Bytes()
    out.append(text: host(flow))
    let port = flow.transport == .udp ? flow.local.port : listeningPort(flow.transport, flow.remote.ip) ?? 0
    if port != 0 {
      out.append(UInt8(ascii: ":"))
      out.append(decimal: port)
    }
    return out
  }

  private func host(_ flow: Flow) -> String {
    if let advertised = settings.advertise { return advertised.contains(":") ? "[\(advertised)]" : advertised }
    let address = flow.local.ip.isUnspecified ? SourceAddress.toward(flow.remote) ?? flow.local.ip : flow.local.ip
    return address.isIPv6 ? "[\(address.text)]" : address.text
  }

  // MARK: Bytes

  /// nil: it has ended, or it is another node's, of whose connections one may have the same number.
  private func connection(of flow: Flow) -> SIPConnection? {
    guard let connection = connections[flow.connection], connection.flow == flow else { return nil }
    return connection
  }

  func transmit(_ bytes: Bytes, over flow: Flow) {
    if flow.transport == .udp {
      guard let socket = sockets.first(where: { $0.local == flow.local }) else { return transportFailed(flow) }
      socket.send(bytes, to: flow.remote)
    } else if let connection = connection(of: flow) {
      connection.send(bytes)
    } else {
      transportFailed(flow)
    }
  }

  /// A response (RFC 3261 §18.2.2): over its flow, else to where the request came from at the port of its Via, else to where
  /// RFC 3263 finds the Via's host.
  func transmit(_ bytes: Bytes, to target: ResponseTarget) {
    if target.flow.transport == .udp { return transmit(bytes, overUDP: target) }
    let way = target.fallback
    if let connection = connection(of: target.flow) { return connection.send(bytes) }
    let failed: @LoopActor () -> Void = { [self] in transmitByName(bytes, target) }
    if let connection = connection(to: way) { return connection.send(bytes, failed: failed) }
    send(bytes, to: SIPHop(way, identity: identity(target)), failed: failed)
  }

  /// One that was made for requests, whose other side has proved then who it is: an address alone proves nothing over TLS.
  private func connection(to way: Target) -> SIPConnection? {
    outgoing.first { $0.key.target == way }.flatMap { connections[$0.value] }
  }

  /// An INVITE that another node took came to a socket that is not here.
  private func transmit(_ bytes: Bytes, overUDP target: ResponseTarget) {
    let flow = target.flow
    guard let socket = sockets.first(where: { $0.local == flow.local }) ?? socket(for: flow.remote.ip) else {
      return count(\.undeliverable)
    }
    socket.send(bytes, to: flow.remote)
  }

  private func transmitByName(_ bytes: Bytes, _ target: ResponseTarget) {
    guard let sentBy = try? HostPort(target.sentBy[...]), sentBy.address == nil else { return count(\.undeliverable) }
    let wanted = SIPDestination(host: sentBy.host.text, port: sentBy.port, transport: target.fallback.transport)
    locate(wanted) { [self] result in
      guard case .success(let found) = result, let first = found.first else { return count(\.undeliverable) }
      send(bytes, to: SIPHop(first, identity: identity(target))) { [self] in count(\.undeliverable) }
    }
  }

  private func send(_ bytes: Bytes, to hop: SIPHop, failed: @escaping @LoopActor () -> Void) {
    let flow = flow(to: hop)
    guard let connection = connection(of: flow) else { return failed() }
    connection.send(bytes, failed: failed)
  }

  /// Whoever claims to be a host has to prove it before he gets its responses.
  private func identity(_ target: ResponseTarget) -> ServerIdentity? {
    (try? HostPort(target.sentBy[...])).map { host in
      host.address.map { ServerIdentity(host: $0.text) } ?? ServerIdentity(host: host.host.text)
    }
  }

  // MARK: Keep-alive

  /// Keeps a flow open by CRLF pings (RFC 5626 §3.5.1, §4.4.1), each after 80 to 100 % of `interval`, until it ends or `stopKeepingAlive`.
  /// - Parameter awaitsPong: on a connection the peer has to answer in time, or the connection is ended.
  public func keepAlive(_ flow: Flow, every interval: Duration, awaitsPong: Bool) {
    keepers.removeValue(forKey: flow)?.cancel()
    if flow.transport != .udp {
      guard let connection = connection(of: flow) else { return }
      connection.isKeptAlive = true
    }
    keepers[flow] = Loop.after(random.jittered(interval, share: 0.2)) { [weak self] in
      guard let self else { return }
      if flow.transport == .udp { transmit([13, 10, 13, 10], over: flow) }
      connection(of: flow)?.ping(awaitsPong: awaitsPong)
      keepAlive(flow, every: interval, awaitsPong: awaitsPong)
    }
  }

  public func stopKeepingAlive(_ flow: Flow) {
    keepers.removeValue(forKey: flow)?.cancel()
    connection(of: flow)?.isKeptAlive = false
  }

  /// Ends a connection after what is queued on it.
  public func close(_ flow: Flow) { connection(of: flow)?.close() }
}
