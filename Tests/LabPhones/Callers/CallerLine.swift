import Network
import Primitives
import SIP

/// The callers' socket, with the transactions of all of them.
@LoopActor
final class CallerLine {
  let local: SocketAddress
  private let provider: SocketAddress
  private var socket: UDPSocket?
  private var transactions: TransactionLayer
  private var timer: LoopTimer?
  private var owners: [ClientTransactionID: LabCall] = [:]
  private var calls: [Bytes: LabCall] = [:]
  /// The latest re-INVITE of each call: its ACK has another branch.
  private var invites: [Bytes: ServerTransactionID] = [:]

  init(local: SocketAddress, provider: SocketAddress) throws {
    self.local = local
    self.provider = provider
    transactions = TransactionLayer(random: SeededRandom(seed: UInt64(Loop.unixNow().milliseconds)))
    socket = try UDPSocket(bind: local) { [weak self] datagram, from in self?.received(Array(datagram), from) }
  }

  var address: Bytes { Bytes(local.text.utf8) }

  private func flow(_ remote: SocketAddress) -> Flow { Flow(transport: .udp, local: local, remote: remote) }

  // MARK: Calls send

  func open(_ call: LabCall) { calls[call.callID] = call }

  /// The call has been over for so long that nothing of it can come any more.
  func close(_ call: LabCall) {
    calls[call.callID] = nil
    invites[call.callID] = nil
    for id in call.transactions { owners[id] = nil }
  }

  /// Without Via; an ACK has no transaction.
  @discardableResult
  func send(_ request: Request, of call: LabCall) -> ClientTransactionID {
    let (id, actions) = transactions.send(request, over: flow(provider), via: address, now: Loop.now())
    if request.method != .ack { owners[id] = call }
    perform(actions)
    return id
  }

  /// Whether there was something to cancel.
  func cancel(_ invite: ClientTransactionID, of call: LabCall) -> Bool {
    guard let (id, actions) = transactions.cancel(invite, now: Loop.now()) else { return false }
    owners[id] = call
    perform(actions)
    return true
  }

  // MARK: The network

  private func received(_ datagram: Bytes, _ from: SocketAddress) {
    switch try? MessageParser.parse(datagram) {
    case .request(let request): perform(transactions.received(request, from: flow(from), now: Loop.now()))
    case .response(let response): perform(transactions.received(response, from: flow(from), now: Loop.now()))
    case nil: break
    }
  }

  private func perform(_ actions: [TransactionLayer.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes, let flow): socket?.send(bytes, to: flow.remote)
      case .respond(let bytes, let target): socket?.send(bytes, to: target.flow.remote)
      case .deliver(let event): handle(event)
      case .wake(let at): wake(at)
      }
    }
  }

  private func wake(_ at: Instant) {
    timer?.cancel()
    timer = Loop.at(at) { [weak self] in
      guard let self else { return }
      perform(transactions.deadlineReached(now: Loop.now()))
    }
  }

  private func handle(_ event: TransactionLayer.Event) {
    switch event {
    case .response(let response, let id):
      owners[id]?.received(response, in: id)
    case .timedOut(let id), .transportFailed(let id): owners[id]?.failed(id)
    case .request(let request, let id, _): received(request, id)
    case .cancel(_, let request, let id):
      perform(transactions.respond(to: id, with: .make(to: request, status: 200, toTag: Bytes("cancelled".utf8)), now: Loop.now()))
    case .noACK, .acknowledged, .ended: break
    }
  }

  private func received(_ request: Request, _ id: ServerTransactionID) {
    let callID = (try? request.callID).map { Array($0) } ?? []
    if request.method == .ack { return perform(invites[callID].map { transactions.acknowledged($0) } ?? []) }
    if request.method == .invite, calls[callID] != nil { invites[callID] = id }
    let response = calls[callID]?.received(request) ?? .make(to: request, status: 481, toTag: Bytes("gone".utf8))
    perform(transactions.respond(to: id, with: response, now: Loop.now()))
  }
}
