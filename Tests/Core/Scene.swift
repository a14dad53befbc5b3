import HTTP
import PhoneContract
import Primitives
import SIP
import Store
import Switchboard
import Testing

@testable import Core

/// One node of a cluster between a store and peers that do as the test says: what it asks of them is kept, and answered by hand.
struct Scene {
  var now = Instant.ms(1_764_480_000_000)
  var core: NodeCore
  var open: [NodeCore.Action] = []

  static let account = AccountID(bytes: Bytes(repeating: 7, count: 16)) ?? AccountID(bytes: Bytes(repeating: 0, count: 16))

  /// - Parameter node: nil for a single node; else it has a lease, or is about to get its first.
  init(_ node: String?, incarnation: UInt64 = 1, hasLease: Bool = true) throws {
    let place = try node.map { NodeCore.Place(node: try #require(NodeID($0)), peerAddress: "127.0.0.1:1") }
    let contacts = SocketAddress("203.0.113.10:5060").map { [Transport.udp: $0] } ?? [:]
    let settings = Switchboard.Settings(
      serverName: "plus.example.net", answeredCalls: 2, slots: SetUpPolicy(), protection: .seconds(180), contacts: contacts)
    core = NodeCore(settings: settings, place: place, random: SeededRandom(seed: 1), now: now)
    guard let place else { return }
    feed { $0.start(now: $1) }
    guard hasLease else { return }
    try replyToJoin(Holder(node: place.node, incarnation: incarnation))
    open = []
  }

  mutating func replyToJoin(_ holder: Holder) throws {
    let question = try #require(take { if case .store(.joinCluster, let question) = $0 { question } else { nil } })
    feed { $0.storeReplied(question, .joined(holder), now: $1) }
  }

  mutating func feed(_ happen: (inout NodeCore, Instant) -> [NodeCore.Action]) { open += happen(&core, now) }

  /// The first open action of the kind; it is open no more.
  mutating func take<Found>(_ find: (NodeCore.Action) -> Found?) -> Found? {
    for (index, action) in open.enumerated() {
      guard let found = find(action) else { continue }
      open.remove(at: index)
      return found
    }
    return nil
  }

  /// The node lives on: its lease is renewed, and whatever is due happens.
  mutating func wait(_ duration: Duration) {
    let end = now + duration
    while let due = core.nextDeadline, due <= end {
      now = max(now, due)
      feed { $0.deadlineReached(now: $1) }
      renew()
    }
    now = end
  }

  private mutating func renew() {
    while let question = take({ if case .store(.renewLease, let question) = $0 { question } else { nil } }) {
      feed { $0.storeReplied(question, .renewed, now: $1) }
    }
  }

  /// The process was stopped for longer than its lease.
  mutating func loseLease() {
    now = now + .seconds(5)
    feed { $0.checkLease(now: $1) }
  }

  // MARK: Phones

  static func device(_ digit: UInt8 = 9) throws -> DeviceID {
    try #require(DeviceID(Base64.urlSafe.encode(Bytes(repeating: digit, count: 32))))
  }

  /// A phone asks for its set-up.
  mutating func ask(_ number: UInt64, _ request: PhoneRequest = .setUpState, key: String? = nil, age: Duration = .zero) throws {
    let account = try #require(Self.account)
    let asked = ForwardedRequest(
      account: account, device: try Self.device(), method: "GET", path: "/v1/setup", query: "\(number)", body: [], age: age)
    feed { $0.phone(PhoneRequestID(number), request, asked, key: key, now: $1) }
  }

  /// The answers that have gone out, by request.
  mutating func answers() -> [UInt64: Int] {
    var found: [UInt64: Int] = [:]
    while let (id, status) = take({ if case .answer(let id, let response) = $0 { (id.number, response.status) } else { nil } }) {
      found[id] = status
    }
    return found
  }

  /// Where the account is, says the store.
  mutating func reply(owner: String, home: String? = nil, isHeld: Bool = true) throws {
    let question = try #require(take { if case .store(.whereabouts, let question) = $0 { question } else { nil } })
    let fence = Fence(holder: Holder(node: try #require(NodeID(owner)), incarnation: 1), epoch: Epoch(number: 1))
    let calls = try home.map { home in
      Whereabouts.Call(
        id: CallID(number: 1), home: Holder(node: try #require(NodeID(home)), incarnation: 1), isHeld: isHeld, lines: [])
    }
    feed { $0.storeReplied(question, .whereabouts(Whereabouts(owner: fence, calls: [calls].compactMap(\.self))), now: $1) }
  }

  /// The node hears of others.
  mutating func meet(_ names: [String]) throws {
    wait(.seconds(1))
    var latest: NodeCore.Question?
    while let question = take({ if case .store(.members, let question) = $0 { question } else { nil } }) { latest = question }
    let question = try #require(latest)
    let members = try names.map { name in
      Member(holder: Holder(node: try #require(NodeID(name)), incarnation: 1), peerAddress: "127.0.0.1:2", remaining: .seconds(3))
    }
    feed { $0.storeReplied(question, .members(members), now: $1) }
  }

  mutating func replyUnavailable() throws {
    let question = try #require(take { if case .store(.whereabouts, let question) = $0 { question } else { nil } })
    feed { $0.storeReplied(question, .unavailable, now: $1) }
  }

  mutating func replyNoAccount() throws {
    let question = try #require(take { if case .store(.whereabouts, let question) = $0 { question } else { nil } })
    feed { $0.storeReplied(question, .noAccount, now: $1) }
  }

  mutating func forwardedAge() -> Duration? { take { if case .forward(_, let asked, _, _) = $0 { asked.age } else { nil } } }

  mutating func forwarded() -> NodeID? { take { if case .forward(_, _, let node, _) = $0 { node } else { nil } } }

  mutating func peerSays(_ number: UInt64, _ result: Result<HTTPResponse, PeerFailure>) {
    feed { $0.forwardAnswered(PhoneRequestID(number), result, now: $1) }
  }
}
