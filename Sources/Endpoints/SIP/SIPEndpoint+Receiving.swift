internal import Network
internal import Primitives
internal import SIP

/// What comes from the network.
extension SIPEndpoint {
  func listenUDP(_ address: SocketAddress) throws(NetworkError) {
    let index = sockets.count
    let socket = try UDPSocket(bind: address) { [weak self] datagram, source in
      guard let self, index < sockets.count else { return }
      received(datagram, from: Flow(transport: .udp, local: sockets[index].local, remote: source))
    }
    let local = socket.local
    socket.onError = { [weak self] remote in
      self?.transportFailed(Flow(transport: .udp, local: local, remote: remote))
    }
    sockets.append(socket)
  }

  private func received(_ datagram: Slice, from flow: Flow) {
    // RFC 5626 keep-alives, and what NAT boxes are kept open with.
    if datagram.allSatisfy({ $0 == 13 || $0 == 10 || $0 == 0 || $0 == 32 }) { return }
    guard takesMessage(from: flow.remote.ip) else { return count(\.overRate) }
    do throws(SIPError) {
      handle(try MessageParser.parse(Array(datagram)), from: flow)
    } catch {
      refuse(error, flow)
    }
  }

  func accepted(_ stream: any ByteStream, _ transport: Transport) {
    let flow = Flow(transport: transport, local: stream.local, remote: stream.remote, connection: nextConnection())
    makeConnection(flow).opened(stream, isAccepted: true)
  }

  /// A connection that is known from now on, and forgotten when it ends.
  func makeConnection(_ flow: Flow) -> SIPConnection {
    let connection = SIPConnection(flow, settings, handlers(flow))
    connections[flow.connection] = connection
    return connection
  }

  private func handlers(_ flow: Flow) -> SIPConnection.Handlers {
    .init(
      message: { [weak self] message in
        guard let self else { return }
        guard takesMessage(from: flow.remote.ip) else { return count(\.overRate) }
        handle(message, from: flow)
      },
      malformed: { [weak self] in self?.refuse($0, flow) },
      ended: { [weak self] in self?.connectionEnded(flow) },
      slow: { [weak self] in self?.count(\.slow) },
      noPong: { [weak self] in self?.count(\.noPong) })
  }

  private func connectionEnded(_ flow: Flow) {
    connections[flow.connection] = nil
    if let hop = hops.removeValue(forKey: flow.connection) { outgoing[hop] = nil }
    keepers.removeValue(forKey: flow)?.cancel()
    transportFailed(flow)
    onFlowEnded?(flow)
  }

  func transportFailed(_ flow: Flow) { perform(layer.transportFailed(flow)) }

  private func handle(_ message: ParsedMessage, from flow: Flow) {
    count(\.messages)
    do throws(SIPError) {
      switch message {
      case .request(let request):
        guard !ScannerFilter.isScanner(request) else { return count(\.scanners) }
        performUnasked(layer.received(try request.validated(), from: flow, now: Loop.now()))
      case .response(let response):
        performUnasked(layer.received(try response.validated(), from: flow, now: Loop.now()))
      }
    } catch {
      refuse(error, flow)
    }
  }

  /// Answers what is malformed where the request says enough for that, without a transaction: a repetition is answered again.
  private func refuse(_ error: SIPError, _ flow: Flow) {
    guard let request = error.request, !ScannerFilter.isScanner(request),
      let stamped = try? request.stamped(source: flow.remote), let via = try? stamped.topVia,
      refusalMeter.takes(from: flow.remote.ip, now: Loop.now())
    else { return count(\.dropped) }
    count(\.refused)
    var flow = flow
    if flow.transport == .udp, !via.wantsRport { flow.remote.port = via.sentBy.port ?? flow.transport.defaultPort }
    transmit(Response.make(to: stamped, status: error.status, toTag: random.token(12)).message.raw, over: flow)
  }
}
