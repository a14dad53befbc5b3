import Core
import Cryptography
import Endpoints
import Network
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// Requests of ours to providers: which connection each takes, and to whom its outcome goes.
@LoopActor
final class ProviderLinks {
  /// What a client transaction was for.
  private enum Purpose {
    case register(AccountID, Flow)
    /// `hop`: where to look once more when the connection that we have turns out to be dead.
    case dialog(CallID, Request, hop: URI?, Flow)
    case probe(RegistrarProbe, Transport)
  }

  static let keepAlive = Duration.seconds(90)

  weak var exchange: Exchange?
  private let sip: SIPEndpoint
  private let connectionPerAccount: Bool
  private var purposes: [ClientTransactionID: Purpose] = [:]
  private var addresses: [AccountID: RegistrarAddress] = [:]
  /// The connection that each account is registered over, and who is lost with each.
  private var flows: [AccountID: Flow] = [:]
  private var accountsOn: [Flow: Set<AccountID>] = [:]

  init(sip: SIPEndpoint, connectionPerAccount: Bool) {
    self.sip = sip
    self.connectionPerAccount = connectionPerAccount
  }

  // MARK: Registrations

  func locate(_ account: AccountID, _ address: RegistrarAddress) {
    addresses[account] = address
    guard let destination = SIPDestination(address) else { return located(account, []) }
    sip.locate(destination) { [weak self] result in
      self?.located(account, (try? result.get()) ?? [])
    }
  }

  /// The switchboard hears of it in a turn of its own: it may have asked a moment ago.
  private func located(_ account: AccountID, _ targets: [Target]) {
    Loop.soon { [weak self] in self?.exchange?.feed { $0.located(account, targets, now: $1) } }
  }

  func register(_ account: AccountID, _ request: Request, _ target: Target) {
    let flow = sip.flow(to: hop(account, target))
    purposes[sip.send(request, over: flow)] = .register(account, flow)
  }

  private func hop(_ account: AccountID, _ target: Target) -> SIPHop {
    SIPHop(target, identity: addresses[account]?.identity, owner: connectionPerAccount ? account.number : nil)
  }

  /// The account lives on this connection from now on.
  private func registered(_ account: AccountID, over flow: Flow) {
    guard flows[account] != flow else { return }
    leave(account)
    flows[account] = flow
    if accountsOn[flow] == nil { sip.keepAlive(flow, every: Self.keepAlive, awaitsPong: flow.transport.isReliable) }
    accountsOn[flow, default: []].insert(account)
  }

  private func leave(_ account: AccountID) {
    guard let flow = flows.removeValue(forKey: account) else { return }
    accountsOn[flow]?.remove(account)
    guard accountsOn[flow]?.isEmpty == true else { return }
    accountsOn[flow] = nil
    sip.stopKeepingAlive(flow)
  }

  func forget(_ account: AccountID) {
    leave(account)
    addresses[account] = nil
  }

  func flowEnded(_ flow: Flow) {
    let lost = accountsOn.removeValue(forKey: flow) ?? []
    for account in lost.sorted() {
      flows[account] = nil
      exchange?.feed { $0.connectionLost(account, now: $1) }
    }
  }

  // MARK: Dialogs

  /// Over the connection that the call came by, where it leads to the next hop: a provider may not be reachable in another way.
  func send(_ request: Request, _ hop: URI, _ flow: Flow, _ call: CallID) {
    let isThere = flow.transport.isReliable && hop.host.flatMap { IPAddress($0) } == flow.remote.ip
    if isThere {
      let id = sip.send(request, over: flow)
      if request.method != .ack { purposes[id] = .dialog(call, request, hop: hop, flow) }
    } else {
      find(request, hop, flow, call)
    }
  }

  private func find(_ request: Request, _ hop: URI, _ flow: Flow, _ call: CallID) {
    guard var destination = SIPDestination(hop) else { return unanswered(call, request.method) }
    if destination.transport == nil { destination.transport = flow.transport }
    let identity = hop.host.map { ServerIdentity(host: $0.text) }
    sip.locate(destination) { [weak self] result in
      guard let self else { return }
      guard let target = (try? result.get())?.first else { return unanswered(call, request.method) }
      let id = sip.send(request, to: SIPHop(target, identity: identity))
      if request.method != .ack { purposes[id] = .dialog(call, request, hop: nil, flow) }
    }
  }

  private func unanswered(_ call: CallID, _ method: Method) {
    exchange?.feed { $0.dialogUnanswered(call, method, now: $1) }
  }

  // MARK: Probes

  /// Asks a registrar what it asks for; `completion` is called once.
  func probe(_ target: ProbeBody.Target, _ completion: @escaping @LoopActor (PhoneReply) -> Void) {
    let probe = RegistrarProbe(target, completion)
    guard let destination = SIPDestination(probe.address) else { return probe.finish(nil, nil) }
    sip.locate(destination) { [weak self] result in
      probe.targets = (try? result.get()) ?? []
      self?.advance(probe)
    }
  }

  private func advance(_ probe: RegistrarProbe) {
    guard !probe.isOver, let target = probe.next() else { return probe.finish(nil, nil) }
    let id = sip.send(probe.request(), to: SIPHop(target, identity: probe.address.identity))
    purposes[id] = .probe(probe, target.transport)
  }

  // MARK: Outcomes

  func answered(_ id: ClientTransactionID, _ response: Response) {
    guard response.status >= 200, let purpose = purposes.removeValue(forKey: id) else { return }
    switch purpose {
    case .register(let account, let flow):
      if response.status < 300 { registered(account, over: flow) }
      exchange?.feed { $0.registerAnswered(account, response, now: $1) }
    case .dialog(let call, let request, _, _):
      // A 2xx to an INVITE may come again and wants its ACK each time.
      if request.method == .invite, response.status < 300 { purposes[id] = purpose }
      exchange?.feed { $0.dialogAnswered(call, response, to: request.method, now: $1) }
    case .probe(let probe, let transport): probe.finish(response, transport)
    }
  }

  /// The transaction is over without a final response.
  func timedOut(_ id: ClientTransactionID) {
    switch purposes.removeValue(forKey: id) {
    case .register(let account, _): exchange?.feed { $0.registerFailed(account, now: $1) }
    case .dialog(let call, let request, _, _): unanswered(call, request.method)
    case .probe(let probe, _): advance(probe)
    case nil: break
    }
  }

  /// It could not be sent. A request in a dialog has another way: where RFC 3263 leads.
  func transportFailed(_ id: ClientTransactionID) {
    if case .dialog(let call, let request, let hop?, let flow) = purposes[id] {
      purposes[id] = nil
      return find(request, hop, flow, call)
    }
    timedOut(id)
  }
}
