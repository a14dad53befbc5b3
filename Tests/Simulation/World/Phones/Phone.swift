import PhoneContract
import Primitives
import Store

/// A decline that has its 204.
struct Decline {
  let phone: Int
  /// The call that the phone rang for.
  let announced: Int?
}

/// A phone: it sets itself up, and does something about the calls that it hears of.
struct Phone {
  enum Mode: Equatable {
    case unknown
    case idle
    /// It rings; `call`: the one that the announcement was about.
    case ringing(call: Int)
    case fetching(call: Int)
    case fetched(call: Int)
    case answering(call: Int)
    case declining(call: Int)
    case talking(call: Int)
    case hangingUp(call: Int)
  }

  /// What it does when its user has thought about it.
  enum Wish: Equatable { case answer, decline, ignore }

  /// A request that has no answer yet. It is sent again, to another node, under the same key.
  struct Open {
    let request: PhoneRequest
    let key: String?
    let since: Instant
    let patience: Duration
    var serial = 0
    var wire = -1
  }

  static let line = Line.one

  let index: Int
  let account: Int
  let accountID: AccountID
  let device: DeviceID
  var random: SeededRandom
  var mode = Mode.unknown
  var wish = Wish.answer
  var isSetUp = false
  /// Counts what it has begun: a thought about something else is nobody's any more.
  var step = 0
  var node: Int
  var open: Open?
  var lastSerial = 0
  var after = 0
  /// The call that it has fetched, where the offer tells.
  var fetched: Int?
  /// When it heard last that its call goes on.
  var heardAt = Instant.zero
  var talksFor: Duration?

  init(index: Int, account: Int, accountID: AccountID, nodes: Int, random: SeededRandom) {
    self.index = index
    self.account = account
    self.accountID = accountID
    device = Self.device(index)
    var random = random
    node = Int.random(in: 0..<nodes, using: &random)
    self.random = random
  }

  var name: String { Party.phone(index).name }

  static func key(_ index: Int) -> String { Base64.urlSafe.encode(Bytes(repeating: UInt8(index + 1), count: 32)) }

  private static func device(_ index: Int) -> DeviceID {
    guard let id = DeviceID(key(index)) else { preconditionFailure("32 bytes are a device") }
    return id
  }

  /// The call that it has to do with.
  var call: Int? {
    switch mode {
    case .unknown, .idle: nil
    case .ringing(let call), .fetching(let call), .fetched(let call), .answering(let call), .declining(let call), .talking(let call),
      .hangingUp(let call):
      call
    }
  }

  var isTalking: Bool {
    switch mode {
    case .talking, .hangingUp: true
    default: false
    }
  }

  var isDeclining: Bool { if case .declining = mode { true } else { false } }

  mutating func think(_ range: ClosedRange<Int64>) -> Duration { .milliseconds(Int64.random(in: range, using: &random)) }

  mutating func newKey() -> String { random.token(16).text }

  func setUp(_ subscriber: Subscriber, expires: Int, transport: TransportChoice) -> SetUpBody {
    SetUpBody(
      account: AccountBody(
        registrar: subscriber.domain, user: subscriber.user,
        credentials: [CredentialBody(realm: subscriber.domain, algorithm: .md5, ha1: subscriber.ha1)], transport: transport,
        expires: expires),
      device: DeviceBody(
        name: name,
        keys: KeysBody(
          sign: KeyBody(kty: "OKP", crv: "Ed25519", x: Self.key(index)), seal: KeyBody(kty: "OKP", crv: "X25519", x: Self.key(index))),
        push: .apns(token: Hex.encode(Array(name.utf8)), topic: "com.example.app.voip", environment: .production)))
  }
}
