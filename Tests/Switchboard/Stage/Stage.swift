import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// A node without a shell: the switchboard over the real store and the real transactions, between a provider, phones and push channels
/// that are values too. Its clock is the test's.
///
/// What comes out is written down in `lines`, one thing each, in its order; `ledger` holds the rules that no story may break.
struct Stage {
  /// What comes back to the switchboard, in the order in which it happened.
  enum Input {
    case stored(Switchboard.StoreTag, StoreReply)
    case announced(CallID, DeviceID, AnnouncementOutcome)
    case transaction(TransactionLayer.Event)
    case located(AccountID, [Target])
    case received(Response)
  }

  struct Push: Hashable {
    let call: CallID
    let device: DeviceID
  }

  var now = Instant.ms(1_764_480_000_000)
  var start: Instant?
  var board: Switchboard
  var layer: TransactionLayer
  var store = MemoryStore()
  var inputs: [Input] = []
  var layerWake: Instant?

  /// The node at work, its place, and the others; empty: there is only one.
  var node = ""
  var isAlive = true
  var address = Stage.ourAddress
  var parked: [String: Parked] = [:]
  var holders: [String: Holder] = [:]
  var pausedNodes: Set<String> = []
  /// Requests that another node has passed here, by whom.
  var passed: [ServerTransactionID: String] = [:]
  /// Which node a phone's request is at.
  var seatOf: [PhoneRequestID: String] = [:]

  /// What becomes of the store's replies, from now on.
  var storeFate = StoreFate.replies
  /// The store replies when it is told to.
  var isStoreSlow = false
  var storeQueue: [Input] = []
  /// Announcements stay on their way until somebody says what became of them.
  var isChannelSlow = false
  /// What is on its way cannot be held back.
  var isChannelStubborn = false
  var deadDevices: Set<DeviceID> = []
  var underWay: [Push] = []

  var legs: [String: Leg] = [:]
  var registrar = Registrar()
  /// Requests of ours that the provider has not answered yet, by Call-ID.
  var openRequests: [String: (request: Request, node: String)] = [:]
  var owners: [ClientTransactionID: Owner] = [:]
  /// What the provider has got: repetitions tell nothing new.
  var seen: Set<Bytes> = []

  enum StoreFate: Equatable {
    case replies
    /// Commands of this kind, or of every kind, are done, and the reply is lost.
    case losesReply(String?)
    /// They are not done.
    case isAway(String?)
  }

  enum Owner {
    case call(CallID, SIP.Method)
    case registration(AccountID)
  }

  var lastRequest: UInt64 = 0
  var requestsOf: [String: PhoneRequestID] = [:]
  var askers: [PhoneRequestID: String] = [:]
  var goneRequests: Set<PhoneRequestID> = []
  var ledger = Ledger()
  var lines: [String] = []
  var isWriting = true
  /// Also what happens, not only what comes of it.
  var isTelling = false

  static let ourAddress = "203.0.113.10:5060"
  static let providerAddress = "192.0.2.1:5060"

  init(answeredCalls: Int = 2, slots: Int = 4, whenFull: SetUpPolicy.WhenFull = .replaceOldest, seed: UInt64 = 1) {
    var random = SeededRandom(seed: seed)
    let contacts = SocketAddress(Self.ourAddress).map { [Transport.udp: $0, .tcp: $0] } ?? [:]
    board = Switchboard(
      settings: .init(
        serverName: "plus.example.net", answeredCalls: answeredCalls, slots: SetUpPolicy(slots: slots, whenFull: whenFull),
        protection: .seconds(180), contacts: contacts),
      random: SeededRandom(from: &random))
    layer = TransactionLayer(random: SeededRandom(from: &random))
  }

  /// Offset from the command's beginning, where time has passed since.
  mutating func write(_ line: String) {
    guard isWriting else { return }
    let passed = start.map { (now - $0).wholeMilliseconds } ?? 0
    lines.append(passed == 0 ? line : "[\(Self.seconds(passed))] \(line)")
  }

  mutating func tell(_ what: String) {
    if isTelling { write("\(node)> \(what)") }
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let tenths = (milliseconds % 1000) / 100
    return tenths == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds / 1000).\(tenths)s"
  }

  // MARK: Time

  /// Lets everything happen that is due until then.
  mutating func wait(_ duration: Duration) {
    tell("wait \(duration)")
    start = now
    defer { start = nil }
    let end = now + duration
    let former = node
    while let due = nextDue, due.at <= end {
      now = max(now, due.at)
      ledger.woken(at: now)
      at(due.node)
      runDue()
    }
    at(former)
    now = end
  }

  private mutating func runDue() {
    if let wake = layerWake, wake <= now {
      layerWake = nil
      perform(layer.deadlineReached(now: now))
    }
    if let deadline = board.nextDeadline, deadline <= now { perform(board.deadlineReached(now: now)) }
    settle()
  }

  /// Until nothing more comes back.
  mutating func settle() {
    while !inputs.isEmpty { take(inputs.removeFirst()) }
  }

  private mutating func take(_ input: Input) {
    switch input {
    case .stored(let tag, let reply): perform(board.storeReplied(tag, reply, now: now))
    case .announced(let call, let device, let outcome):
      ledger.reported(Push(call: call, device: device), outcome)
      perform(board.announced(call, device, outcome, now: now))
    case .located(let account, let targets): perform(board.located(account, targets, now: now))
    case .received(let response): perform(layer.received(response, from: Self.providerFlow, now: now))
    case .transaction(let event): take(event)
    }
  }

  private mutating func take(_ event: TransactionLayer.Event) {
    switch event {
    case .response(let response, let id):
      guard response.status >= 200, let owner = owners[id] else { return }
      switch owner {
      case .call(let call, let method): perform(board.dialogAnswered(call, response, to: method, now: now))
      case .registration(let account): perform(board.registerAnswered(account, response, now: now))
      }
    case .timedOut(let id), .transportFailed(let id):
      switch owners.removeValue(forKey: id) {
      case .call(let call, let method): perform(board.dialogUnanswered(call, method, now: now))
      case .registration(let account): perform(board.registerFailed(account, now: now))
      case nil: return
      }
    case .ended(let id):
      ledger.ended(id)
      perform(board.provider(event, now: now))
    case .request, .cancel, .noACK, .acknowledged: perform(board.provider(event, now: now))
    }
  }
}
