import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives

/// One phone. What it does with a call is the first word of the caller's name: `answered`, `hungup`, `declined`; else it only rings.
@LoopActor
final class LabPhone {
  let number: Int
  private let client: PhoneClient
  private let settings: Settings
  private let tally: Tally
  /// The call that it rings for, and whether it has acted on it.
  private var ringing: (call: String, hasActed: Bool)?

  /// How long one wish is asked for again, where nodes die and come back meanwhile.
  private static let patience: Duration = .seconds(30)

  init(_ number: Int, _ settings: Settings, client: HTTPClient, tally: Tally) throws {
    self.number = number
    self.settings = settings
    self.tally = tally
    self.client = PhoneClient(phone: try .generate(number % 4 == 3 ? .p256 : .curve25519), client: client)
  }

  var user: String { "phone\(number)" }

  /// The device token: digits that no special answer of the push service begins with.
  static func token(_ number: Int) -> String {
    let digits = String(number)
    return "00" + String(repeating: "0", count: 62 - digits.count) + digits
  }

  static func number(of token: String) -> Int? { token.hasPrefix("00") ? Int(token) : nil }

  func close() { client.close() }

  // MARK: Set-up

  /// Whether the account is registered in the end.
  func setUp() async -> Bool {
    let transport: TransportChoice = [.udp, .tcp, .tls][number % 3]
    let account = AccountBody(
      registrar: settings.registrar, user: user, domain: settings.domain,
      credentials: [CredentialBody(user: user, realm: settings.domain, password: "secret-\(user)", algorithm: .md5)], transport: transport)
    let push = PushBody.apns(token: Self.token(number), topic: "com.example.lab.voip", environment: .production)
    let client = client
    let state = await asking("set_up") { () async throws(PhoneError) in try await client.setUp(account, push: push) }
    guard let state else { return false }
    tally.count("set_up_\(state.registration.state.rawValue)")
    return state.registration.state == .registered
  }

  /// False only where the server says so itself.
  func isSetUp() async -> Bool {
    do {
      _ = try await client.state()
      return true
    } catch {
      guard case .problem(let problem) = error else { return true }
      return problem.name != .notSetUp
    }
  }

  // MARK: Pushes

  func pushed(_ sealed: Bytes) {
    guard let announcement = try? client.phone.open(sealed) else { return tally.count("unreadable") }
    switch announcement {
    case .call(let at, _, let name): announced(name ?? "", at)
    case .stop: stopped()
    }
  }

  private func announced(_ call: String, _ at: Instant) {
    tally.announced(call, to: number)
    tally.raise("worst_push_ms", to: Int((Loop.unixNow() - at).wholeMilliseconds))
    if ringing?.call == call { return }
    ringing = (call, false)
    let delay = Duration.milliseconds(200 + number * 37 % 1000)
    Task { @LoopActor in
      try? await Task.sleep(for: delay)
      await self.act(on: call)
    }
  }

  private func stopped() {
    tally.count("stops")
    if ringing?.hasActed == true { tally.count("stops_after_act") }
    ringing = nil
  }

  // MARK: Acting

  private func act(on call: String) async {
    guard ringing?.call == call else { return }
    let client = client
    switch call.split(separator: " ").first {
    case "answered", "hungup": await answer(call)
    case "declined":
      ringing?.hasActed = true
      let isDone: Void? = await asking("decline") { () async throws(PhoneError) in try await client.decline() }
      if isDone != nil { tally.count("declines") }
    default: tally.count("rung")
    }
  }

  private func answer(_ call: String) async {
    let (client, sdp) = (client, sdp)
    guard let fetched = await asking("fetch", { () async throws(PhoneError) in try await client.fetch(on: .one) }) else { return }
    ringing?.hasActed = true
    let isTalking = await asking("answer") { () async throws(PhoneError) in try await client.answer(sdp, on: fetched.line) }
    guard isTalking != nil else { return }
    tally.count("answers")
    if call.hasPrefix("hungup") {
      Task { @LoopActor in
        try? await Task.sleep(for: .seconds(3))
        let isDone: Void? = await self.asking("hang_up") { () async throws(PhoneError) in try await client.hangUp(fetched.line) }
        if isDone != nil { self.tally.count("hang_ups") }
      }
    }
    await watch(fetched.line)
  }

  /// Until the call is over.
  private func watch(_ line: Line) async {
    let client = client
    var next = 0
    while true {
      let after = next
      let reply = await asking("status") { () async throws(PhoneError) in try await client.status(of: line, after: after, wait: 20) }
      guard let reply else { return }
      next = reply.next
      for event in reply.events {
        switch event.kind {
        case .ended(let why): return tally.count("ended_\(why.rawValue)")
        case .offer(let id, _):
          let sdp = sdp
          _ = await asking("offer") { () async throws(PhoneError) in try await client.answerOffer(id, with: sdp, on: line) }
        case .offerWithdrawn, .other: break
        }
      }
    }
  }

  private var sdp: String {
    [
      "v=0", "o=phone \(number) 1 IN IP4 \(settings.media)", "s=-", "c=IN IP4 \(settings.media)", "t=0 0", "m=audio 40000 RTP/AVP 8 0",
      "a=rtpmap:8 PCMA/8000", "a=rtpmap:0 PCMU/8000", "",
    ].joined(separator: "\r\n")
  }

  /// Again while nobody can be reached or the server is busy; nil, and counted by its reason, where it did not succeed.
  private func asking<Reply>(
    _ wish: String, _ ask: @LoopActor () async throws(PhoneError) -> Reply
  ) async -> Reply? {
    let start = Loop.now()
    while true {
      do throws(PhoneError) {
        return try await ask()
      } catch {
        guard error.isWorthAnother, start.duration(to: Loop.now()) < Self.patience else {
          tally.count("failed_\(wish)_\(error.word)")
          return nil
        }
        tally.count("again_\(wish)")
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
  }
}

extension PhoneError {
  fileprivate var isWorthAnother: Bool {
    switch self {
    case .transport: true
    case .problem(let problem): problem.status == 503 || problem.status == 429
    default: false
    }
  }

  fileprivate var word: String {
    switch self {
    case .problem(let problem): problem.name.rawValue
    case .unexpected(let status): String(status)
    case .transport: "transport"
    default: "reply"
    }
  }
}
