import Core
import HTTP
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard

/// A process on a host: what the node decides, with what the shell would have around it.
final class SimNode {
  enum State: Equatable {
    case up
    /// Stopped: what comes waits in the kernel, the time goes on.
    case paused
    /// Gone; a host that is up refuses connections.
    case down(isHostUp: Bool)
  }

  /// What a request of ours to a provider was for.
  enum Purpose {
    case register(AccountID, Flow)
    /// `hop`: where to look once more when the connection that we have turns out to be dead.
    case dialog(CallID, Request, hop: URI?, Flow)
  }

  /// A phone's request that has not been answered; `ask`: the peer's number for it.
  struct Visit {
    let wire: Int
    let cameAt: Instant
    var ask: UInt64?
    var phone: PhoneAsk?
    var account: AccountID?
    /// The node has heard of it.
    var isBegun = false
  }

  let index: Int
  let id: NodeID
  let address: SocketAddress
  var state = State.down(isHostUp: true)
  /// Counts its processes.
  let life: Int
  var core: NodeCore
  var layer: TransactionLayer
  var layerWake: Instant?
  /// When the next `nodeWakes` comes.
  var armed: Instant?
  var backlog: [Happening] = []
  var queue: [NodeCore.Action] = []
  var isPerforming = false
  var random: SeededRandom

  var store = StoreLine()
  var links: [NodeID: PeerLine] = [:]
  var asks: [UInt64: OpenAsk] = [:]
  var peerQuestions: [UInt64: (wire: Int, ask: UInt64)] = [:]
  var visits: [UInt64: Visit] = [:]
  var purposes: [ClientTransactionID: Purpose] = [:]
  var lines = ProviderLines()
  private(set) var lastID: UInt64 = 0

  init(index: Int, life: Int, settings: Switchboard.Settings, random: SeededRandom, now: Instant) {
    self.index = index
    self.life = life
    id = Self.name(index)
    address = Addresses.node(index)
    var random = random
    core = Self.core(id, address, settings, &random, now)
    layer = TransactionLayer(random: SeededRandom(from: &random))
    self.random = random
  }

  static func name(_ index: Int) -> NodeID { NodeID(NodeNames.name(index)) ?? Holder.alone.node }

  private static func core(
    _ id: NodeID, _ address: SocketAddress, _ settings: Switchboard.Settings, _ random: inout SeededRandom, _ now: Instant
  ) -> NodeCore {
    NodeCore(
      settings: settings, place: NodeCore.Place(node: id, peerAddress: "\(address.ip.text):7443"), random: SeededRandom(from: &random),
      now: now)
  }

  /// A new process: nothing is left of the one before but its name.
  func next(settings: Switchboard.Settings, now: Instant) -> SimNode {
    let next = SimNode(index: index, life: life + 1, settings: settings, random: SeededRandom(from: &random), now: now)
    next.state = .up
    return next
  }

  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  var nextDeadline: Instant? {
    let due = Self.deadline(&core)
    guard let due, let layerWake else { return due ?? layerWake }
    return min(due, layerWake)
  }

  /// Passed on like this it is not copied.
  private static func deadline(_ core: inout NodeCore) -> Instant? { core.nextDeadline }

  var isUp: Bool { state == .up }
}

/// A request of a phone as it goes over HTTPS.
struct PhoneAsk {
  /// The phone's own count of its requests.
  let serial: Int
  let device: DeviceID
  /// Whose it is where the phone sets itself up.
  let account: AccountID
  let request: PhoneRequest
  let key: String?
}

/// What nodes ask each other.
enum PeerAsk {
  case greet(Greeting)
  case renew(Holder)
  case phone(ForwardedRequest)
  case pass(PassedMessage)
  case handed([AccountID])
}

enum PeerWord {
  case greeting(Greeting)
  case renewal(RenewalOutcome)
  case phone(HTTPResponse)
  case notHere
  case passed(Bytes?)
}

/// The link to one peer.
struct PeerLine {
  var wire: Int?
  var isUp = false
  /// Asked while the link is being made, in their order.
  var waiting: [UInt64] = []
}

/// Something that a peer was asked and has not answered.
struct OpenAsk {
  enum Back {
    case greet
    case renew(Holder, sentAt: Instant)
    case forward(PhoneRequestID)
    case pass(ServerTransactionID)
    case handed
  }

  let peer: NodeID
  let wire: Int
  let ask: PeerAsk
  let back: Back
  var isSent = false
}
