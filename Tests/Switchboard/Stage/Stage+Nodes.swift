import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// Several nodes over one store. One of them is at work; the others are parked.
extension Stage {
  /// What one node has of its own.
  struct Parked {
    var board: Switchboard
    var layer: TransactionLayer
    var inputs: [Input]
    var layerWake: Instant?
    var storeQueue: [Input]
    var owners: [ClientTransactionID: Owner]
    var underWay: [Push]
    var address: String
  }

  static func address(ofNode number: Int) -> String { "203.0.113.\(9 + number):5060" }

  /// A stage of a cluster: `n1` is at work.
  init(nodes: Int, answeredCalls: Int = 2, slots: Int = 4, whenFull: SetUpPolicy.WhenFull = .replaceOldest, seed: UInt64 = 1) {
    self.init(answeredCalls: answeredCalls, slots: slots, whenFull: whenFull, seed: seed)
    for number in (1...nodes).reversed() {
      let name = "n\(number)"
      if node.isEmpty { node = name } else { park(as: name, seed: seed &+ UInt64(number)) }
      address = Self.address(ofNode: number)
      board = Self.board(board.settings, at: address, seed: seed &+ 100 &* UInt64(number))
      join()
    }
    spreadWord()
  }

  private mutating func park(as name: String, seed: UInt64) {
    parked[node] = state
    (inputs, layerWake, storeQueue, owners, underWay) = ([], nil, [], [:], [])
    layer = TransactionLayer(random: SeededRandom(seed: seed))
    node = name
  }

  private static func board(_ settings: Switchboard.Settings, at address: String, seed: UInt64) -> Switchboard {
    var settings = settings
    settings.contacts = SocketAddress(address).map { [Transport.udp: $0, .tcp: $0] } ?? [:]
    return Switchboard(settings: settings, random: SeededRandom(seed: seed))
  }

  var state: Parked {
    get {
      Parked(
        board: board, layer: layer, inputs: inputs, layerWake: layerWake, storeQueue: storeQueue, owners: owners, underWay: underWay,
        address: address)
    }
    set {
      (board, layer, inputs, layerWake, storeQueue) = (
        newValue.board, newValue.layer, newValue.inputs, newValue.layerWake, newValue.storeQueue
      )
      (owners, underWay, address) = (newValue.owners, newValue.underWay, newValue.address)
    }
  }

  var isCluster: Bool { !node.isEmpty }

  /// Those that live, the one at work among them.
  var nodes: [String] { (parked.keys + (isAlive ? [node] : [])).sorted() }

  mutating func at(_ name: String) {
    guard name != node, let next = parked.removeValue(forKey: name) else { return }
    if isAlive { parked[node] = state }
    (state, node, isAlive) = (next, name, true)
  }

  /// Lets it happen at the node, and comes back.
  mutating func at(_ name: String, _ happen: (inout Stage) -> Void) {
    let former = node
    at(name)
    happen(&self)
    settle()
    at(former)
  }

  /// The nearest that is due at any node.
  var nextDue: (at: Instant, node: String)? {
    var due = isAlive ? Self.due(board, layerWake).map { [($0, node)] } ?? [] : []
    due += parked.compactMap { name, other in Self.due(other.board, other.layerWake).map { ($0, name) } }
    return due.min { ($0.0, $0.1) < ($1.0, $1.1) }.map { (at: $0.0, node: $0.1) }
  }

  private static func due(_ board: Switchboard, _ wake: Instant?) -> Instant? { [board.nextDeadline, wake].compactMap(\.self).min() }
}

/// Membership and ownership, as far as a stage needs them.
extension Stage {
  private mutating func join() {
    guard let id = NodeID(node), case .joined(let holder) = store.perform(.joinCluster(id, peerAddress: address, after: 0), now: now)
    else { return }
    holders[node] = holder
    perform(board.stoodUp(holder, now: now))
    board.storeIsWhole(for: Settling.longest, now: now)
    perform(board.deadlineReached(now: now))
    settle()
  }

  /// Everybody learns who lives.
  mutating func spreadWord() {
    let living = nodes.filter { !pausedNodes.contains($0) }.compactMap { holders[$0] }
    for name in nodes { at(name) { $0.board.lives(living, now: $0.now) } }
  }

  /// The process is gone with all that it had.
  mutating func kill(_ name: String) {
    tell("kill \(name)")
    at(name)
    guard nodes.count > 1, node == name else { return }
    for id in askers.keys.sorted(by: { $0.number < $1.number }) where seatOf[id] == name {
      ledger.gone(id)
      goneRequests.insert(id)
    }
    giveUpReports()
    isAlive = false
    pausedNodes.remove(name)
    if let next = nodes.first { at(next) }
  }

  /// What its channels say is heard by nobody else.
  private mutating func giveUpReports() {
    for call in board.calls.values { for device in call.announced { ledger.mayHaveReported(Push(call: call.id, device: device)) } }
    for push in underWay { ledger.mayHaveReported(push) }
  }

  /// A new process in the place of one that is gone.
  mutating func revive(_ name: String, seed: UInt64) {
    tell("revive \(name)")
    let former = node
    park(as: name, seed: seed)
    address = holders.keys.sorted().firstIndex(of: name).map { Self.address(ofNode: $0 + 1) } ?? address
    board = Self.board(board.settings, at: address, seed: seed)
    join()
    at(former)
    spreadWord()
  }

  /// A node that comes back cannot tell an account that was removed from one that the store has lost: it writes it again.
  var isForgotten: Bool { if case .account(nil) = store.reading(.account(Self.account), now: now) { true } else { false } }

  /// Whether another one is there to go on.
  func canSpare(_ name: String) -> Bool { isServing(name) && nodes.count { isServing($0) } > 1 }

  var owesNothing: Bool { board.debts.isEmpty && parked.values.allSatisfy(\.board.debts.isEmpty) }

  /// The lease is gone; the process is not.
  mutating func pause(_ name: String) {
    tell("pause \(name)")
    pausedNodes.insert(name)
    at(name) {
      $0.giveUpReports()
      $0.perform($0.board.suspendAll(now: $0.now))
    }
  }

  /// It has a lease again, with a new incarnation.
  mutating func goOn(_ name: String) {
    tell("go on \(name)")
    pausedNodes.remove(name)
    at(name) { $0.join() }
    spreadWord()
  }

  /// The others take what the dead and the paused have.
  mutating func takeOver(by name: String) {
    tell("take over \(name)")
    spreadWord()
    for dead in buryTheSilent(by: name) {
      for account in list(.accountsOwned(by: dead, after: nil)) { claim(account, by: name) }
      for account in list(.homesOf(dead, after: nil)) { adopt(account, from: dead.node) }
    }
    for account in list(.accountsOwned(by: nil, after: nil)) { claim(account, by: name) }
  }

  func isServing(_ name: String) -> Bool { nodes.contains(name) && !pausedNodes.contains(name) }

  /// Those of them who still have something.
  private mutating func buryTheSilent(by name: String) -> [Holder] {
    for (name, holder) in holders where !isServing(name) { _ = store.perform(.buryLease(holder, unrenewedFor: .zero), now: now) }
    guard let holder = holders[name], case .strays(let strays) = store.perform(.strays(holder), now: now) else { return [] }
    return strays.dead
  }

  private mutating func list(_ command: StoreCommand) -> [StoreReply.ListedAccount] {
    if case .accounts(let accounts, _) = store.perform(command, now: now) { accounts } else { [] }
  }

  private mutating func claim(_ account: StoreReply.ListedAccount, by name: String) {
    guard let holder = holders[name] else { return }
    let claimed = store.perform(.claimOwner(account.id, holder, expecting: account.epoch), now: now)
    guard case .owned(let epoch, let snapshot) = claimed else { return }
    at(name) { $0.perform($0.board.own(snapshot, Fence(holder: holder, epoch: epoch), now: $0.now)) }
  }

  private mutating func adopt(_ account: StoreReply.ListedAccount, from dead: NodeID) {
    guard let owner = owner(of: account.id) else { return }
    at(owner) { $0.perform($0.board.adoptCalls(of: account.id, from: dead)) }
  }

  /// Lets the account go, for whoever comes.
  mutating func handOver(_ account: AccountID, from name: String) {
    tell("hand over \(name)")
    guard let holder = holders[name], case .whereabouts(let found) = store.perform(.whereabouts(account), now: now),
      let fence = found.owner,
      fence.holder == holder
    else { return }
    at(name) { $0.perform($0.board.handOver(account, fence, now: $0.now)) }
  }

  /// It comes back with nothing in it; the nodes have their leases again at once.
  mutating func emptyStore() {
    store = MemoryStore()
    ledger.forgotten()
    for holder in holders.values { _ = store.perform(.renewLease(holder, peerAddress: nil), now: now) }
  }

  // MARK: Where things go

  mutating func owner(of account: AccountID) -> String? {
    guard case .whereabouts(let found) = store.perform(.whereabouts(account), now: now) else { return nil }
    return found.owner?.holder.node.name
  }

  /// The node that answers a phone; nil: nobody can now.
  mutating func server(of request: PhoneRequest, device: DeviceID, account: AccountID) -> String? {
    guard case .whereabouts(let found) = store.perform(.whereabouts(account), now: now) else { return nodes.first }
    let home = request.home(in: found, device: device) ?? found.owner?.holder
    guard let home, holders[home.node.name] == home, isServing(home.node.name) else {
      return nil
    }
    return home.node.name
  }

  /// A request for a call that is not here, seen by every other home.
  mutating func pass(_ request: Request, _ id: ServerTransactionID, _ flow: Flow, account: AccountID) {
    let receiver = node
    var homes: [String] = []
    if case .whereabouts(let found) = store.perform(.whereabouts(account), now: now) { homes = found.calls.map(\.home.node.name) }
    guard let home = homes.first(where: { $0 != receiver && isServing($0) }), passed[id] == nil else {
      return perform(board.nobodyHas(request, id))
    }
    passed[id] = receiver
    at(home) { $0.perform($0.board.provider(.request(request, id, from: flow), now: $0.now)) }
  }
}

extension Call {
  /// Who may have heard of it.
  fileprivate var announced: [DeviceID] {
    (held?.rings.filter { $0.value == .intended }.map(\.key) ?? []) + (aftermath?.underWay.sorted() ?? [])
  }
}

extension PhoneRequest {
  /// As every node looks for it.
  fileprivate func home(in found: Whereabouts, device: DeviceID) -> Holder? {
    switch self {
    case .fetch, .decline, .shown: found.calls.first { $0.isHeld }?.home
    case .answer(let line, _, _), .confirm(let line), .status(let line, _, _), .hangUp(let line):
      (found.calls.first { $0.lines.contains(Whereabouts.Line(device: device, number: line.rawValue)) } ?? found.calls.last)?.home
    default: nil
    }
  }
}

extension MemoryStore {
  fileprivate func reading(_ command: StoreCommand, now: Instant) -> StoreReply {
    var copy = self
    return copy.perform(command, now: now)
  }
}
