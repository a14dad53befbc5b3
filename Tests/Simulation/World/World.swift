import Core
import Primitives
import SIP
import Store
import Switchboard

/// A whole cluster from one seed: nodes, the store, a network, providers with their callers, phones, a push service. Its clock is its own.
public struct World {
  let plan: Plan
  let story: Story
  var hash = StoryHash()
  var now: Instant
  let start: Instant
  var queue = EventQueue<Happening>()
  var random: SeededRandom
  var network: Network
  var wires: [Wire] = []
  var stalled: [Pair: [(Int, Bool, Parcel)]] = [:]
  var redis = RedisSide()
  var nodes: [SimNode] = []
  private(set) var indexOfNode: [NodeID: Int] = [:]
  var providers: [Provider] = []
  var legs: [Leg] = []
  var phones: [Phone] = []
  var pushes: [PushJob] = []
  var callNumbers: [CallID: Int] = [:]
  /// Phones of an account that have declined, where the refused call is not known yet.
  var declines: [Int: [Decline]] = [:]
  var ledger = Ledger()
  var inheritances: [CallID: Inheritance] = [:]
  /// Where the store has no primary to ask yet.
  var lastKnownByTheDead: Set<AccountID> = []
  /// Set-ups that are nowhere any more: whoever knew them ended while the store did not.
  var lostSetUps: Set<AccountID> = []
  var ending = Ending.waiting(quietLooks: 0)
  public private(set) var steps = 0

  var calm: Instant { start + plan.shape.calm }

  public init(_ plan: Plan, isWriting: Bool = false) {
    self.plan = plan
    var random = SeededRandom(seed: plan.seed &+ 0x5EED)
    start = Instant(nanoseconds: 1_764_480_000_000_000_000)
    now = start
    story = Story(isWriting: isWriting, start: start)
    network = Network(random: SeededRandom(from: &random))
    network.loss = plan.shape.loss
    self.random = SeededRandom(from: &random)
    people(&random)
    schedule()
  }

  private mutating func people(_ random: inout SeededRandom) {
    for index in 0..<plan.shape.nodes {
      indexOfNode[SimNode.name(index)] = index
      nodes.append(SimNode(index: index, life: 0, settings: settings(of: index), random: SeededRandom(from: &random), now: now))
    }
    for index in 0..<plan.shape.providers {
      providers.append(Provider(index: index, transport: plan.shape.transport, random: SeededRandom(from: &random)))
    }
    for account in 0..<plan.shape.accounts { subscribe(account, &random) }
    for (number, call) in plan.calls.enumerated() {
      legs.append(Leg(number: number, account: call.account, provider: call.account % plan.shape.providers, planned: call))
    }
  }

  private mutating func subscribe(_ account: Int, _ random: inout SeededRandom) {
    let provider = account % plan.shape.providers
    let id = Self.account(account)
    providers[provider].subscribers.append(
      Subscriber(account: account, id: id, user: "user-\(account + 1)", domain: "p\(provider + 1).example.net"))
    for _ in 0..<plan.shape.devices[account] {
      phones.append(
        Phone(index: phones.count, account: account, accountID: id, nodes: plan.shape.nodes, random: SeededRandom(from: &random)))
    }
  }

  static func account(_ index: Int) -> AccountID {
    guard let id = AccountID(bytes: Bytes(repeating: UInt8(0xA0 + index), count: 16)) else {
      preconditionFailure("16 bytes are an account")
    }
    return id
  }

  func settings(of index: Int) -> Switchboard.Settings {
    Switchboard.Settings(
      serverName: "plus.example.net", answeredCalls: 2, slots: SetUpPolicy(), protection: plan.shape.protection,
      contacts: [plan.shape.transport: Addresses.node(index)])
  }

  private mutating func schedule() {
    for index in nodes.indices { begin(index) }
    for index in phones.indices { later(index, .setsUp, in: .milliseconds(500) + phones[index].think(0...2000)) }
    for (number, call) in plan.calls.enumerated() { queue.add(.callBegins(number), at: start + call.at) }
    for (number, fault) in plan.faults.enumerated() {
      if case .failOver(let lag, _, _) = fault.fault { queue.add(.redis(.replicaStops), at: start + (fault.at - lag)) }
      queue.add(.fault(number), at: start + fault.at)
    }
    queue.add(.look, at: calm)
  }

  // MARK: The run

  /// Until it is over, or a rule is broken.
  public mutating func run() -> Outcome {
    while !isOver, let (moment, event) = queue.next() {
      now = max(now, moment)
      steps += 1
      hash.mix(UInt64(bitPattern: now.nanoseconds))
      take(event)
      if steps > Self.mostSteps { ledger.note("it does not end") }
    }
    return Outcome(
      seed: plan.seed, breaches: ledger.breaches, calls: legs.count { $0.state != .waiting }, forgotten: legs.count { $0.isForgotten },
      setUpsLost: lostSetUps.count, hash: hash.value, steps: steps, lasted: now - start, story: story.lines)
  }

  private static let mostSteps = 600_000

  private var isOver: Bool {
    if case .over = ending { return true }
    return ledger.isBroken
  }

  mutating func take(_ event: Happening) {
    if let index = event.process(wires), nodes[index].state == .paused {
      nodes[index].backlog.append(event)
      return
    }
    switch event {
    case .nodeWakes(let index, let life): wake(index, life: life)
    case .nodeTimer(let index, let life, let timer): nodeTimer(index, life: life, timer)
    case .datagram(let from, let to, let bytes): datagramArrives(bytes, from: from, to: to)
    case .parcel(let wire, let atServer, let parcel): arrives(parcel, over: wire, atServer: atServer)
    case .fault(let number): faultBegins(number)
    case .faultEnds(let number): faultEnds(number)
    case .callBegins(let number): beginCall(number)
    case .providerWakes(let index): wakeProvider(index)
    case .caller(let number, let step): caller(number, step)
    case .phone(let index, let step, let what): if phones[index].step == step { phone(index, what) }
    case .phoneTired(let index, let ask): phoneTired(index, ask: ask)
    case .push(let job, let step): take(job, step)
    case .announcement(let index, let call): announced(index, call)
    case .silence(let index): silenced(index)
    case .redis(let step): take(step)
    case .look: look()
    }
  }

  private mutating func nodeTimer(_ index: Int, life: Int, _ timer: NodeTimer) {
    guard nodes[index].life == life, nodes[index].isUp else { return }
    switch timer {
    case .store: storeTimer(index)
    case .storeConnects(let attempt): storeConnects(index, attempt: attempt)
    case .ask(let id): askTimer(id, at: index)
    case .link(let wire): linkTimer(wire, at: index)
    case .located(let account, let targets): feed(index) { $0.located(account, targets, now: $1) }
    case .pushed(let call, let device, let outcome): feed(index) { $0.announced(call, device, outcome, now: $1) }
    }
    arm(index)
  }

  // MARK: Names

  func name(_ account: AccountID) -> String {
    providers.lazy.flatMap(\.subscribers).first { $0.id == account }?.user ?? "somebody"
  }

  func name(_ call: CallID) -> String { callNumbers[call].map { "call \($0)" } ?? "a call" }
}

/// What came of a run.
public struct Outcome: Sendable {
  public let seed: UInt64
  public let breaches: [String]
  /// Calls that were offered, and those of them, and set-ups, that nothing could keep: what was known of them is gone with two at once.
  public let calls: Int
  public let forgotten: Int
  public let setUpsLost: Int
  public let hash: UInt64
  public let steps: Int
  public let lasted: Duration
  /// Empty unless it was written.
  public let story: [String]
}
