import Primitives
import SIP
import Store

/// A provider: a registrar, and whoever calls its subscribers.
struct Provider {
  enum Purpose {
    case invite(leg: Int)
    case cancel
    case inDialog(leg: Int, SIP.Method)
  }

  let index: Int
  let address: SocketAddress
  let transport: Transport
  var subscribers: [Subscriber] = []
  var layer: TransactionLayer
  var layerWake: Instant?
  var armed: Instant?
  var purposes: [ClientTransactionID: Purpose] = [:]
  var random: SeededRandom
  /// Wires by the numbers that flows carry, and the other way round.
  var wires: [UInt64: Int] = [:]
  var numbers: [Int: UInt64] = [:]
  var flows: [UInt64: Flow] = [:]
  private var last: UInt64 = 0

  init(index: Int, transport: Transport, random: SeededRandom) {
    self.index = index
    self.transport = transport
    address = Addresses.provider(index)
    var random = random
    layer = TransactionLayer(random: SeededRandom(from: &random))
    self.random = random
  }

  func subscriber(_ account: AccountID) -> Int? { subscribers.firstIndex { $0.id == account } }

  mutating func add(_ wire: Int, remote: SocketAddress) -> Flow {
    last += 1
    let flow = Flow(transport: transport, local: address, remote: remote, connection: last)
    wires[last] = wire
    numbers[wire] = last
    flows[last] = flow
    return flow
  }

  mutating func remove(_ wire: Int) -> Flow? {
    guard let number = numbers.removeValue(forKey: wire) else { return nil }
    wires[number] = nil
    return flows.removeValue(forKey: number)
  }
}

/// One call that a provider offers, from the INVITE to its end.
struct Leg {
  enum State: Equatable {
    case waiting
    /// INVITEs are out.
    case calling
    case answered
    case over
  }

  struct Branch {
    let id: ClientTransactionID
    let contact: Bytes
    /// nil: no final response yet.
    var final: Int?
    var isRinging = false
    var triedAt: Instant?
    var isCancelled = false
  }

  let number: Int
  let account: Int
  let provider: Int
  let planned: PlannedCall
  var state = State.waiting
  var branches: [Branch] = []
  var invite: Request?
  var beganAt = Instant.zero
  var rangAt: Instant?
  var answeredAt: Instant?
  var endedAt: Instant?
  var why = ""
  var isHangingUp = false
  /// The caller wanted to go before anybody had said anything.
  var wantsCancel = false
  /// Nobody at the provider waits for this INVITE any more.
  var isGivenUp = false
  // The dialog.
  var remoteTag = Bytes()
  var target = Bytes()
  var cseq: UInt32 = 1
  var remoteCSeq: UInt32 = 0
  /// Which device has answered, from the session description.
  var answeredBy: String?
  /// What became of it is known to nobody any more, or the word about it went into a connection that was dead.
  var isForgotten = false
  /// The node that said the last final response.
  var saidBy: Int?
  /// A phone has heard that it has answered or declined it.
  var isTaken = false
  /// The phone's side has sent BYE.
  var isHungUpByUs = false
  /// What the last BYE left by, where that was a connection.
  var byeWire: Int?
  var acknowledged = 0

  var callID: String { "call-\(number)" }
  var fromTag: String { "tag-\(number)" }
  var caller: String { "+4930\(1000 + number)" }
  /// Whether its INVITE is on its way, or a node has taken it a moment ago.
  func isYoung(_ now: Instant) -> Bool {
    guard state == .calling, !isForgotten else { return false }
    return branches.contains { branch in
      branch.final == nil && (branch.triedAt.map { now - $0 < .seconds(15) } ?? (now - beganAt < TransactionTimers.giveUp))
    }
  }

  var isRinging: Bool { state == .calling && branches.contains { $0.isRinging && $0.final == nil } }
}
