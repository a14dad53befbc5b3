import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// The phones. Each has a name of one letter.
extension Stage {
  static let account = AccountID(bytes: Bytes(repeating: 0xA1, count: 16)) ?? Stage.noAccount
  private static var noAccount: AccountID { preconditionFailure("16 bytes are an account") }

  static func key(_ name: String) -> String { Base64.urlSafe.encode(Bytes(repeating: name.utf8.first ?? 0, count: 32)) }

  static func device(_ name: String) -> DeviceID {
    guard let id = DeviceID(key(name)) else { preconditionFailure("32 bytes are a device") }
    return id
  }

  func name(_ device: DeviceID) -> String {
    Base64.urlSafe.decode(device.text)?.first.map { String(UnicodeScalar($0)) } ?? "?"
  }

  /// What may be different about a set-up.
  struct SettingUp {
    var password = "right"
    var token: String?
    var mode = DeviceMode.ring
    var takeSlotOf: String?
    var account = Stage.account
    var user = "alice"
    var authUser: String?
    var transport = TransportChoice.udp
    var proxy: String?
    var expires: Int?
    var hasPush = true
  }

  mutating func setUp(_ name: String, _ what: SettingUp = SettingUp()) {
    tell("\(name) sets up")
    let token = Hex.encode(Array((what.token ?? "token-\(name)").utf8))
    let credential = CredentialBody(realm: "example.net", algorithm: .md5, ha1: Registrar.ha1(what.password))
    let body = SetUpBody(
      account: AccountBody(
        registrar: "example.net", user: what.user, authUser: what.authUser, credentials: [credential], transport: what.transport,
        outboundProxy: what.proxy, expires: what.expires),
      device: DeviceBody(
        name: name, mode: what.mode, keys: KeysBody(sign: KeyBody(kty: "OKP", crv: "Ed25519", x: Self.key(name))),
        push: what.hasPush ? .apns(token: token, topic: "com.example.app.voip", environment: .production) : .none),
      takeSlotOf: what.takeSlotOf.map { Self.device($0).text })
    if isCluster {
      let server = owner(of: what.account) ?? node
      guard let able = isServing(server) ? server : nodes.first(where: { isServing($0) }) else { return }
      at(able)
    }
    let id = nextRequest(name, acts: nil)
    perform(board.setUp(body, id, device: Self.device(name), account: what.account, now: now))
    settle()
  }

  /// - Parameter waited: for how long it has been on its way in the cluster.
  mutating func phone(_ name: String, _ request: PhoneRequest, account: AccountID = Stage.account, waited: Duration = .zero) {
    let device = Self.device(name)
    tell("\(name) \(request.kind)")
    if isCluster {
      guard let node = server(of: request, device: device, account: account) else { return write("\(name) waits: nobody is there") }
      at(node)
      guard board.knows(account) else { return write("\(name) waits: not here") }
    }
    let ringing = board.ringing[account].flatMap { request.isAct(of: device, in: board.calls[$0]) ? $0 : nil }
    let id = nextRequest(name, acts: ringing.map { Push(call: $0, device: device) })
    perform(board.phone(request, id, device: device, account: account, askedAt: now - waited, now: now))
    settle()
  }

  /// The connection of the phone's last request goes away.
  mutating func gone(_ name: String) {
    guard let id = requestsOf[name] else { return }
    ledger.gone(id)
    goneRequests.insert(id)
    if let node = seatOf[id] { at(node) }
    perform(board.phoneGone(id, device: Self.device(name), account: Self.account, now: now))
    settle()
  }

  private mutating func nextRequest(_ name: String, acts: Push?) -> PhoneRequestID {
    lastRequest += 1
    let id = PhoneRequestID(lastRequest)
    askers[id] = name
    requestsOf[name] = id
    if isCluster { seatOf[id] = node }
    ledger.asked(id, acts: acts)
    if isTelling { write("  (\(lastRequest))") }
    return id
  }

  mutating func replied(_ request: PhoneRequestID, _ reply: PhoneReply) {
    ledger.replied(request, reply, wasGone: goneRequests.contains(request))
    let asker = askers[request] ?? "?"
    write("\(asker) < \(Transcript.text(reply, name: name))\(goneRequests.contains(request) ? " (nobody there)" : "")")
  }
}

extension PhoneRequest {
  fileprivate var kind: String {
    switch self {
    case .fetch(let line, let stage): "fetches \(line.rawValue) \(stage)"
    case .answer(let line, _, let confirm): "answers \(line.rawValue)\(confirm ? "" : " unconfirmed")"
    case .confirm: "confirms"
    case .decline: "declines"
    case .status(let line, let after, let wait): "status \(line.rawValue) after=\(after) wait=\(wait)"
    case .hangUp(let line): "hangs up \(line.rawValue)"
    case .removeSetUp: "removes itself"
    case .removeDevice: "removes another"
    case .setPush: "push"
    default: "other"
    }
  }

  /// Whether a 2xx to it means that the device has acted on this call.
  fileprivate func isAct(of device: DeviceID, in call: Call?) -> Bool {
    switch self {
    case .answer(let line, _, _), .confirm(let line): call?.held?.fetched[device] == line
    case .decline: true
    default: false
    }
  }
}
