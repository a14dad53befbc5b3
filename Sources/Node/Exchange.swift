import Cryptography
import Endpoints
import Network
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// Lets the switchboard decide and does what it says. Everything that happens comes here first; actions are done in their order, also
/// those that the doing of others causes.
@LoopActor
final class Exchange {
  private var switchboard: Switchboard
  let sip: SIPEndpoint
  let store: any StoreClient
  let announcer: Announcer
  private let notes: NoteWriter
  let links: ProviderLinks
  private var replies: [PhoneRequestID: @LoopActor (PhoneReply) -> Void] = [:]
  private var queue: [Switchboard.Action] = []
  private var isPerforming = false
  private var timer: LoopTimer?
  private var timerDue: Instant?
  private var leaving: Wait?
  /// nil: a single node.
  weak var cluster: ClusterDriver?
  /// SIP requests that came by way of a peer: their answers go back by it.
  var passed: [ServerTransactionID: @LoopActor (Bytes?) -> Void] = [:]

  init(
    settings: Switchboard.Settings, sip: SIPEndpoint, store: any StoreClient, announcer: Announcer, notes: NoteWriter,
    connectionPerAccount: Bool
  ) {
    var random = SystemRandom()
    switchboard = Switchboard(settings: settings, random: SeededRandom(from: &random))
    self.sip = sip
    self.store = store
    self.announcer = announcer
    self.notes = notes
    links = ProviderLinks(sip: sip, connectionPerAccount: connectionPerAccount)
    links.exchange = self
    sip.onEvent = { [weak self] in self?.sipEvent($0) }
    sip.isProvider = { [weak self] in self?.switchboard.isProvider($0) ?? false }
    sip.onFlowEnded = { [weak self] in self?.links.flowEnded($0) }
  }

  var load: (accounts: Int, held: Int, answered: Int) { switchboard.load }

  var registrations: [RegistrationStatus.State: Int] { switchboard.registrationStates }

  func device(_ id: DeviceID, of account: AccountID) -> Device? { switchboard.device(account, id) }

  /// Whether the account is kept here, or a call of it is at home here.
  func knows(_ account: AccountID) -> Bool { switchboard.knows(account) }

  // MARK: What happens

  /// Something happens to the switchboard, and what follows is done.
  func feed(_ happen: (inout Switchboard, Instant) -> [Switchboard.Action]) {
    let now = Loop.now()
    queue += happen(&switchboard, now)
    guard !isPerforming else { return }
    isPerforming = true
    var next = 0
    while next < queue.count {
      perform(queue[next])
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
    isPerforming = false
    if let leaving, switchboard.load.accounts == 0 { leaving.end() }
    arm()
  }

  private func arm() {
    let due = switchboard.nextDeadline
    guard due != timerDue else { return }
    timer?.cancel()
    timerDue = due
    timer = due.map { moment in
      Loop.at(moment) { [weak self] in
        self?.timerDue = nil
        self?.feed { $0.deadlineReached(now: $1) }
      }
    }
  }

  private func sipEvent(_ event: TransactionLayer.Event) {
    switch event {
    case .response(let response, let id): links.answered(id, response)
    case .timedOut(let id): links.timedOut(id)
    case .transportFailed(let id): links.transportFailed(id)
    default: feed { $0.provider(event, now: $1) }
    }
  }

  func phone(
    _ request: PhoneRequest, _ id: PhoneRequestID, device: DeviceID, account: AccountID,
    _ completion: @escaping @LoopActor (PhoneReply) -> Void
  ) {
    replies[id] = completion
    feed { $0.phone(request, id, device: device, account: account, now: $1) }
  }

  func setUp(
    _ body: SetUpBody, _ id: PhoneRequestID, device: DeviceID, account: AccountID, _ completion: @escaping @LoopActor (PhoneReply) -> Void
  ) {
    replies[id] = completion
    feed { $0.setUp(body, id, device: device, account: account, now: $1) }
  }

  func phoneGone(_ id: PhoneRequestID, device: DeviceID, account: AccountID) {
    replies[id] = nil
    feed { $0.phoneGone(id, device: device, account: account, now: $1) }
  }

  func probe(_ target: ProbeBody.Target, _ completion: @escaping @LoopActor (PhoneReply) -> Void) { links.probe(target, completion) }

  /// Ends every call and gives every binding back; returns when all are gone, or after `limit`.
  func leave(within limit: Duration) async {
    feed { $0.leave(now: $1) }
    guard switchboard.load.accounts > 0 else { return }
    await withCheckedContinuation { continuation in
      let wait = Wait(continuation)
      leaving = wait
      _ = Loop.after(limit) { wait.end() }
    }
  }

  /// Somebody who waits for the last account to leave.
  private final class Wait {
    private var continuation: CheckedContinuation<Void, Never>?
    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func end() {
      continuation?.resume()
      continuation = nil
    }
  }

  // MARK: What is done

  private func perform(_ action: Switchboard.Action) {
    guard mayAct || !action.isInOurName else { return }
    switch action {
    case .respond(let id, let response): respond(id, response)
    case .acknowledged(let id): sip.acknowledged(id)
    case .drop(let id): sip.forget(id)
    case .send(let request, let hop, let flow, let call): links.send(request, hop, flow, call)
    case .locate(let account, let address): links.locate(account, address)
    case .register(let account, let request, let target): links.register(account, request, target)
    case .announce(let call, let device, let caller, let at): announce(call, device, caller, at)
    case .withdraw(let call, let device): announcer.withdraw(call, device)
    case .stop(_, let device, let why, _): announcer.stop(device, why)
    case .reply(let id, let reply): replies.removeValue(forKey: id)?(reply)
    case .adopt(let invite, let last, let flow): _ = try? sip.adopt(invite: invite, last: last, from: flow)
    case .elsewhere(let account, let request, let id, let flow): seek(account, request, id, flow)
    case .owns(let account, let fence): cluster?.owns(account, fence)
    case .lost(let account): cluster?.lost(account)
    case .handedOver(let account): cluster?.handedOver(account)
    case .kept(let account): cluster?.kept(account)
    case .store(let command, let tag): store.perform(command) { [weak self] reply in self?.feed { $0.storeReplied(tag, reply, now: $1) } }
    case .note(let note):
      if case .deregistered(let account) = note { links.forget(account) }
      cluster?.noted(note)
      notes.write(note)
    }
  }

  /// The lease is looked at when something is sent: a process that was stopped and goes on does nothing in another's name.
  private var mayAct: Bool { cluster?.mayAct ?? true }

  private func respond(_ id: ServerTransactionID, _ response: Response) {
    guard let back = passed[id] else { return sip.respond(to: id, with: response) }
    guard response.status >= 200 else { return }
    passed[id] = nil
    back(response.message.raw)
  }

  private func announce(_ call: CallID, _ device: Device, _ caller: Caller, _ at: Instant) {
    announcer.announce(call, device, caller) { [weak self] outcome in
      self?.feed { $0.announced(call, device.id, outcome, now: $1) }
    }
  }
}
