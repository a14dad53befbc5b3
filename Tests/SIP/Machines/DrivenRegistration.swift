import Foundation
import Primitives

@testable import SIP

/// A registration with a network that does as the test says.
struct DrivenRegistration {
  static let tls = target(.tls, 1)
  static let secondTLS = target(.tls, 2)
  static let udp = target(.udp, 3)

  var machine: Registration
  var now = Instant.zero
  var wake: Instant?
  /// What the machine did since the last step, but requests and wake-ups.
  var actions: [Registration.Action] = []
  var requests: [(request: Request, target: Target)] = []

  init(
    realm: String = "sip.example.net", algorithms: [DigestAlgorithm] = [.md5], options: [String] = [], token: String = "p1a7c3e9",
    seed: UInt64 = 1
  ) {
    let credentials = algorithms.compactMap { Self.credential(realm, $0) }
    let settings = RegistrationSettings(
      registrar: Bytes("sip:sip.example.net".utf8), addressOfRecord: Bytes("sip:+493023125001@sip.example.net".utf8),
      username: Bytes("alice".utf8), token: Bytes(token.utf8), expires: 600,
      contactAddresses: [.tls: Bytes("192.0.2.10:5061".utf8), .udp: Bytes("192.0.2.10:5060".utf8)], options: options.map { Bytes($0.utf8) },
      instance: Bytes("urn:uuid:1".utf8))
    machine = Registration(settings, credentials: credentials, random: SeededRandom(seed: seed))
  }

  static func credential(_ realm: String, _ algorithm: DigestAlgorithm, _ digit: String = "a") -> DigestCredential? {
    DigestCredential(realm: Bytes(realm.utf8), algorithm: algorithm, ha1: String(repeating: digit, count: algorithm.length * 2).utf8)
  }

  private static func target(_ transport: Transport, _ host: UInt8) -> Target {
    Target(
      transport: transport, address: SocketAddress(ip: IPAddress(bytes: [203, 0, 113, host]) ?? .loopbackIPv4, port: transport.defaultPort))
  }

  var request: Request? { requests.last?.request }
  func field(_ name: HeaderName) -> String? { request?.message.value(name)?.text }

  mutating func step(_ event: (inout Registration, Instant) -> [Registration.Action]) {
    actions = []
    for action in event(&machine, now) {
      switch action {
      case .wake(let at): wake = at
      case .send(let request, let target): requests.append((request, target))
      default: actions.append(action)
      }
    }
  }

  /// Starts, or goes to the next wake-up.
  mutating func proceed() {
    if machine.phase == .new { return step { $0.start(now: $1) } }
    now = wake ?? now
    step { $0.deadlineReached(now: $1) }
  }

  mutating func resolve(_ targets: [Target] = [tls]) { step { $0.targetsResolved(targets, now: $1) } }

  mutating func proceedAndResolve(_ targets: [Target] = [tls]) {
    proceed()
    resolve(targets)
  }

  mutating func answer(_ status: Int, _ more: String = "") throws {
    guard let request else { throw Samples.NotThis() }
    let response = Trace.response(status, to: request, more: more)
    step { $0.received(response, now: $1) }
  }

  /// A file with its CSeq set to the open request's.
  mutating func answer(file: String) throws {
    guard let request else { throw Samples.NotThis() }
    var text = try Samples.bytes(file).text.replacingOccurrences(of: "@@CSEQ@@", with: "\(request.cseq.number)")
    text = text.replacingOccurrences(of: "@@BRANCH@@", with: "z9hG4bK1").replacingOccurrences(of: "@@CALLID@@", with: "x")
    guard case .response(let response) = try MessageParser.parse(Bytes(text.utf8)) else { throw Samples.NotThis() }
    step { $0.received(response, now: $1) }
  }

  static let challenge = "WWW-Authenticate: Digest realm=\"sip.example.net\", nonce=\"n1\", qop=\"auth\", algorithm=MD5"
  static func challenge(nonce: String, _ more: String = "") -> String {
    "WWW-Authenticate: Digest realm=\"sip.example.net\", nonce=\"\(nonce)\", qop=\"auth\"\(more)"
  }

  var ok: String { "Contact: <sip:p1a7c3e9@192.0.2.10:5061;transport=tls>;expires=600" }

  /// Registered, with one challenge answered.
  mutating func register(_ targets: [Target] = [tls]) throws {
    proceedAndResolve(targets)
    try answer(401, Self.challenge)
    try answer(200, ok)
  }

  /// Seconds until the next wake-up.
  var pause: Double { wake.map { Double(($0 - now).wholeMilliseconds) / 1000 } ?? .infinity }
}
