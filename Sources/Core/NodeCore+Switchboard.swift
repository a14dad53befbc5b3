import Cluster
public import Primitives
public import SIP
public import Store
public import Switchboard

/// What happens to the switchboard, and what follows from it inside the node.
extension NodeCore {
  // MARK: Events

  public mutating func provider(_ event: TransactionLayer.Event, now: Instant) -> [Action] {
    settle(switchboard.provider(event, now: now), now: now)
  }

  public mutating func located(_ account: AccountID, _ targets: [Target], now: Instant) -> [Action] {
    settle(switchboard.located(account, targets, now: now), now: now)
  }

  public mutating func registerAnswered(_ account: AccountID, _ response: Response, now: Instant) -> [Action] {
    settle(switchboard.registerAnswered(account, response, now: now), now: now)
  }

  public mutating func registerFailed(_ account: AccountID, now: Instant) -> [Action] {
    settle(switchboard.registerFailed(account, now: now), now: now)
  }

  public mutating func connectionLost(_ account: AccountID, now: Instant) -> [Action] {
    settle(switchboard.connectionLost(account, now: now), now: now)
  }

  public mutating func dialogAnswered(_ call: CallID, _ response: Response, to method: Method, now: Instant) -> [Action] {
    settle(switchboard.dialogAnswered(call, response, to: method, now: now), now: now)
  }

  public mutating func dialogUnanswered(_ call: CallID, _ method: Method, now: Instant) -> [Action] {
    settle(switchboard.dialogUnanswered(call, method, now: now), now: now)
  }

  public mutating func announced(_ call: CallID, _ device: DeviceID, _ outcome: AnnouncementOutcome, now: Instant) -> [Action] {
    settle(switchboard.announced(call, device, outcome, now: now), now: now)
  }

  // MARK: Actions

  /// What the switchboard wants, in its order; what that causes in the node comes behind it.
  mutating func settle(_ wanted: [Switchboard.Action], now: Instant) -> [Action] {
    var actions: [Action] = []
    actions.reserveCapacity(wanted.count)
    for action in wanted { settle(action, &actions, now: now) }
    return isLeaving ? actions + leaveIfEmpty(now: now) : actions
  }

  private mutating func settle(_ action: Switchboard.Action, _ actions: inout [Action], now: Instant) {
    switch action {
    case .respond(let id, let response): respond(id, response, &actions)
    case .acknowledged(let id): actions.append(.acknowledged(id))
    case .drop(let id): actions.append(.drop(id))
    case .send(let request, let hop, let flow, let call): actions.append(.send(request, nextHop: hop, over: flow, call))
    case .locate(let account, let address): actions.append(.locate(account, address))
    case .register(let account, let request, let target): actions.append(.register(account, request, target))
    case .announce(let call, let device, let caller, let at): actions.append(.announce(call, device, caller, at: at))
    case .withdraw(let call, let device): actions.append(.withdraw(call, device))
    case .stop(let call, let device, let why, let at): actions.append(.stop(call, device, why, at: at))
    case .reply(let id, let reply): actions += replied(id, reply, now: now)
    case .adopt(let invite, let last, let flow): actions.append(.adopt(invite, last: last, flow))
    case .elsewhere(let account, let request, let id, let flow): actions += seek(account, request, id, flow, now: now)
    case .owns(let account, let fence): ownership.created(account, fence)
    case .lost(let account): actions += follow(ownership.fenced(account), now: now)
    case .handedOver(let account): actions += handedOver(account, now: now)
    case .kept(let account): ownership.kept(account)
    case .store(let command, let tag): actions.append(.store(command, .switchboard(tag)))
    case .note(let note): noted(note, &actions)
    }
  }

  /// What is said about a request of a peer's goes back to the peer; nobody waits there for what is provisional.
  private mutating func respond(_ id: ServerTransactionID, _ response: Response, _ actions: inout [Action]) {
    guard let peer = fromPeers[id] else { return actions.append(.respond(id, response)) }
    guard response.status >= 200 else { return }
    fromPeers[id] = nil
    switchboard.peerAnswered(id)
    deadlines.set(nil, for: .passed(id))
    actions.append(.answerPassed(peer, response.message.raw))
  }

  private mutating func noted(_ note: Note, _ actions: inout [Action]) {
    switch note {
    case .taken: takeovers.accounts += 1
    case .adopted: takeovers.calls += 1
    default: break
    }
    actions.append(.note(.switchboard(note)))
  }
}
