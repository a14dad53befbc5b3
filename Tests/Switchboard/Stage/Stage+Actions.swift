import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// What the shell would do.
extension Stage {
  mutating func perform(_ actions: [Switchboard.Action]) {
    for action in actions { perform(action) }
  }

  private mutating func perform(_ action: Switchboard.Action) {
    switch action {
    case .respond(let id, let response):
      respond(id, response)
    case .acknowledged(let id): perform(layer.acknowledged(id))
    case .drop(let id):
      write("silence")
      layer.forget(id)
    case .send(let request, _, let flow, let call): send(request, over: flow, .call(call, request.method))
    case .locate(let account, let address): inputs.append(.located(account, registrar.targets(address.transport)))
    case .register(let account, let request, let target): register(account, request, target)
    case .announce(let call, let device, let caller, _): announce(Push(call: call, device: device.id), caller)
    case .withdraw(let call, let device): withdraw(Push(call: call, device: device))
    case .stop(let call, let device, let why, _):
      write("stop \(name(device.id)) \(why.rawValue)")
      ledger.stopped(Push(call: call, device: device.id))
    case .reply(let request, let reply): replied(request, reply)
    case .store(let command, let tag): perform(command, tag)
    case .adopt(let invite, let last, let flow):
      if let adopted = try? layer.adopt(invite: invite, last: last, from: flow, now: now) { perform(adopted.1) }
    case .elsewhere(let account, let request, let id, let flow): pass(request, id, flow, account: account)
    case .lost(let account), .handedOver(let account):
      if isCluster { perform(board.disown(account, now: now)) }
    case .note, .owns, .kept: break
    }
  }

  private mutating func respond(_ id: ServerTransactionID, _ response: Response) {
    if (try? response.cseq.method) == .invite { ledger.responded(id, response.status, by: board.holder) }
    guard let receiver = passed[id], receiver != node else { return perform(layer.respond(to: id, with: response, now: now)) }
    let home = node
    at(receiver)
    perform(layer.respond(to: id, with: response, now: now))
    at(home)
  }

  // MARK: Transactions

  mutating func perform(_ actions: [TransactionLayer.Action]) {
    for action in actions {
      switch action {
      case .send(let bytes, _): providerGot(request: bytes)
      case .respond(let bytes, _): providerGot(response: bytes)
      case .deliver(let event): inputs.append(.transaction(event))
      case .wake(let at): layerWake = at
      }
    }
  }

  private mutating func send(_ request: Request, over flow: Flow, _ owner: Owner) {
    let (id, actions) = layer.send(request, over: flow, via: Array(address.utf8), now: now)
    owners[id] = owner
    perform(actions)
  }

  private mutating func register(_ account: AccountID, _ request: Request, _ target: Target) {
    guard let local = SocketAddress(address) else { return }
    send(request, over: Flow(transport: target.transport, local: local, remote: target.address), .registration(account))
  }

  // MARK: Push

  private mutating func announce(_ push: Push, _ caller: Caller) {
    write("announce \(name(push.device))\(caller.number.map { " from \($0)" } ?? " withheld")")
    ledger.announced(push)
    guard !isChannelSlow else { return underWay.append(push) }
    inputs.append(.announced(push.call, push.device, deadDevices.contains(push.device) ? .tokenGone : .announced))
  }

  private mutating func withdraw(_ push: Push) {
    write("withdraw \(name(push.device))")
    guard !isChannelStubborn, let index = underWay.firstIndex(of: push) else { return }
    underWay.remove(at: index)
    inputs.append(.announced(push.call, push.device, .notSent))
  }

  /// The channel has spoken about the oldest announcement to the device.
  mutating func pushEnded(_ device: DeviceID, _ outcome: AnnouncementOutcome) {
    guard let index = underWay.firstIndex(where: { $0.device == device }) else { return }
    let push = underWay.remove(at: index)
    inputs.append(.announced(push.call, push.device, outcome))
    settle()
  }

  // MARK: Store

  private mutating func perform(_ command: StoreCommand, _ tag: Switchboard.StoreTag) {
    let reply = reply(to: command)
    if isStoreSlow { storeQueue.append(.stored(tag, reply)) } else { inputs.append(.stored(tag, reply)) }
  }

  private mutating func reply(to command: StoreCommand) -> StoreReply {
    switch storeFate {
    case .isAway(let kind) where kind == nil || kind == command.kind: return .unavailable
    case .losesReply(let kind) where kind == nil || kind == command.kind:
      ledger.stored(command, store.perform(command, now: now))
      return .unavailable
    default:
      let reply = store.perform(command, now: now)
      ledger.stored(command, reply)
      return reply
    }
  }

  /// The store replies to everything that it was asked, or to the first `count` of it.
  mutating func storeReplies(_ count: Int = .max) {
    inputs += storeQueue.prefix(count)
    storeQueue.removeFirst(min(count, storeQueue.count))
    settle()
  }
}

extension StoreCommand {
  /// Its name, as far as scenarios need it.
  var kind: String {
    switch self {
    case .account: "account"
    case .writeAccount: "write-account"
    case .removeAccount: "remove-account"
    case .claimHeld: "claim-held"
    case .releaseHeld: "release-held"
    case .endHeld: "end-held"
    case .unclaimHeld: "unclaim-held"
    case .claimLine: "claim-line"
    case .releaseLine: "release-line"
    case .saveCall: "save-call"
    case .adoptCall: "adopt-call"
    case .removeCall: "remove-call"
    case .saveRegistration: "save-registration"
    case .registration: "registration"
    case .claimOwner: "claim-owner"
    case .releaseOwner: "release-owner"
    case .whereabouts: "whereabouts"
    case .restore: "restore"
    default: "other"
    }
  }
}
