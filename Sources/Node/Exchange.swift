import Core
import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// Lets the core decide and does what it says. Everything that happens comes here first; actions are done in their order, also those
/// that the doing of others causes.
@LoopActor
final class Exchange {
  private(set) var core: NodeCore
  let sip: SIPEndpoint
  let store: any StoreClient
  let announcer: Announcer
  private let notes: NoteWriter
  let links: ProviderLinks
  /// nil: a single node.
  var peers: PeerLinks?
  private var desk = RequestDesk()
  private var queue: [NodeCore.Action] = []
  private var isPerforming = false
  private var timer: LoopTimer?
  private var timerDue: Instant?
  private var leaving: Wait?

  /// - Parameter place: nil for a single node.
  init(
    settings: Switchboard.Settings, place: NodeCore.Place?, sip: SIPEndpoint, store: any StoreClient, announcer: Announcer,
    notes: NoteWriter, connectionPerAccount: Bool
  ) {
    var random = SystemRandom()
    core = NodeCore(settings: settings, place: place, random: SeededRandom(from: &random), now: Loop.now())
    self.sip = sip
    self.store = store
    self.announcer = announcer
    self.notes = notes
    links = ProviderLinks(sip: sip, connectionPerAccount: connectionPerAccount)
    links.exchange = self
    sip.onEvent = { [weak self] in self?.sipEvent($0) }
    announcer.maySend = { [weak self] in self?.core.mayAct(now: Loop.now()) ?? false }
    sip.maySpeak = { [weak self] in self?.core.mayAct(now: Loop.now()) ?? false }
    sip.isProvider = { [weak self] in self?.core.switchboard.isProvider($0) ?? false }
    sip.onFlowEnded = { [weak self] in self?.links.flowEnded($0) }
  }

  var reading: StatusBoard.Reading {
    StatusBoard.Reading(load: core.switchboard.load, registrations: core.switchboard.registrationStates)
  }

  // MARK: What happens

  /// Something happens to the core, and what follows is done.
  func feed(_ happen: (inout NodeCore, Instant) -> [NodeCore.Action]) {
    let now = Loop.now()
    queue += core.checkLease(now: now) + happen(&core, now)
    guard !isPerforming else { return }
    isPerforming = true
    var next = 0
    while next < queue.count {
      perform(queue[next])
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
    isPerforming = false
    arm()
  }

  private func arm() {
    let due = core.nextDeadline
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

  /// A phone asks. Gives back what is called where nobody waits for the answer any more.
  func phone(
    _ request: PhoneRequest, _ asked: ForwardedRequest, key: String?, _ answer: @escaping HTTPAnswer
  ) -> @LoopActor () -> Void {
    let id = desk.open { if let response = $0 { answer(response) } }
    feed { $0.phone(id, request, asked, key: key, now: $1) }
    return { [weak self] in self?.phoneGone(id) }
  }

  private func phoneGone(_ id: PhoneRequestID) { feed { $0.phoneGone(id, now: $1) } }

  func probe(_ target: ProbeBody.Target, _ completion: @escaping @LoopActor (PhoneReply) -> Void) { links.probe(target, completion) }

  /// Hands over or gives back everything; returns when that is done, or after `limit`.
  func leave(within limit: Duration) async {
    guard await !leaves(within: limit, { $0.leave(now: $1) }) else { return }
    _ = await leaves(within: Self.lastWord) { $0.leaveAtOnce(now: $1) }
  }

  /// For the store to hear that this node is gone.
  private static let lastWord = Duration.milliseconds(500)

  private func leaves(within limit: Duration, _ leave: (inout NodeCore, Instant) -> [NodeCore.Action]) async -> Bool {
    await withCheckedContinuation { continuation in
      let wait = Wait(continuation)
      leaving = wait
      _ = Loop.after(limit) { wait.end(hasLeft: false) }
      feed(leave)
    }
  }

  /// Somebody who waits for everything to be gone.
  private final class Wait {
    private var continuation: CheckedContinuation<Bool, Never>?
    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

    func end(hasLeft: Bool) {
      continuation?.resume(returning: hasLeft)
      continuation = nil
    }
  }

  // MARK: What peers ask

  /// What this node does when its peers ask.
  var handlers: PeerHandlers {
    PeerHandlers(
      greeted: { [weak self] in self?.greeted($0, by: $1) ?? Greeting(holder: nil, storeAnswers: false) },
      renew: { [weak self] holder, answer in self?.renew(holder, answer) },
      phone: { [weak self] asked, _, answer in self?.phoneOfPeer(asked, answer) ?? {} },
      sip: { [weak self] message, _, answer in self?.take(message, answer) },
      handed: { [weak self] accounts, _ in self?.feed { $0.handed(accounts, now: $1) } })
  }

  private func greeted(_ greeting: Greeting, by peer: NodeID) -> Greeting { core.greeted(greeting, by: peer, now: Loop.now()) }

  private func renew(_ holder: Holder, _ answer: @escaping @LoopActor (RenewalOutcome) -> Void) {
    let id = desk.open(renewal: answer)
    feed { $0.renew(holder, for: id, now: $1) }
  }

  private func phoneOfPeer(_ asked: ForwardedRequest, _ answer: @escaping @LoopActor (HTTPResponse?) -> Void) -> @LoopActor () -> Void {
    let id = desk.open(answer)
    feed { $0.phoneOfPeer(asked, id, now: $1) }
    return { [weak self] in self?.phoneGone(id) }
  }

  private func take(_ message: PassedMessage, _ answer: @escaping @LoopActor (Bytes?) -> Void) {
    let id = desk.open(passed: answer)
    feed { $0.passed(message, id, now: $1) }
  }

  // MARK: What is done

  private func perform(_ action: NodeCore.Action) {
    guard !action.isInOurName || core.mayAct(now: Loop.now()) else { return }
    switch action {
    case .respond(let id, let response): sip.respond(to: id, with: response)
    case .acknowledged(let id): sip.acknowledged(id)
    case .drop(let id): sip.forget(id)
    case .adopt(let invite, let last, let flow): _ = try? sip.adopt(invite: invite, last: last, from: flow)
    case .send(let request, let hop, let flow, let call): links.send(request, hop, flow, call)
    case .locate(let account, let address): links.locate(account, address)
    case .register(let account, let request, let target): links.register(account, request, target)
    case .announce(let call, let device, let caller, _): announce(call, device, caller)
    case .withdraw(let call, let device): announcer.withdraw(call, device)
    case .stop(_, let device, let why, _): announcer.stop(device, why)
    case .store(let command, let question): ask(command, question)
    case .answer(let id, let response): desk.close(id)?(response)
    case .notHere(let id): desk.close(id)?(nil)
    case .answerRenewal(let id, let outcome): desk.close(renewal: id)?(outcome)
    case .answerPassed(let id, let response): desk.close(passed: id)?(response)
    case .note(let note): noted(note)
    case .left: leaving?.end(hasLeft: true)
    case .greet, .knock, .renewThrough, .forward, .abandon, .pass, .handed: if let peers { tell(peers, action) }
    }
  }

  private func ask(_ command: StoreCommand, _ question: NodeCore.Question) {
    store.perform(command) { [weak self] reply in self?.feed { $0.storeReplied(question, reply, now: $1) } }
  }

  private func announce(_ call: CallID, _ device: Device, _ caller: Caller) {
    announcer.announce(call, device, caller) { [weak self] outcome in
      self?.feed { $0.announced(call, device.id, outcome, now: $1) }
    }
  }

  private func noted(_ note: NodeNote) {
    switch note {
    case .switchboard(.deregistered(let account)), .switchboard(.givenAway(let account)): links.forget(account)
    default: break
    }
    notes.write(note)
  }

  private func tell(_ peers: PeerLinks, _ action: NodeCore.Action) {
    switch action {
    case .greet(let members, let greeting): peers.greet(members, greeting)
    case .knock(let peer): peers.knock(peer)
    case .renewThrough(let peer, let holder, let sentAt):
      peers.renew(holder, through: peer) { [weak self] result in
        self?.feed { $0.renewalAnswered(holder, sentAt: sentAt, result, now: $1) }
      }
    case .forward(let id, let asked, let peer, let limit): forward(id, asked, to: peer, within: limit, by: peers)
    case .abandon(let id): desk.abandon(id)
    case .pass(let message, let peer, let id):
      peers.pass(message, to: peer) { [weak self] result in self?.feed { $0.passAnswered(id, result, now: $1) } }
    case .handed(let accounts, let peer): peers.handed(accounts, to: peer)
    default: break
    }
  }

  private func forward(_ id: PhoneRequestID, _ asked: ForwardedRequest, to peer: NodeID, within limit: Duration, by peers: PeerLinks) {
    desk.away(
      id,
      peers.forward(asked, to: peer, within: limit) { [weak self] result in
        self?.desk.back(id)
        self?.feed { $0.forwardAnswered(id, result, now: $1) }
      })
  }
}
