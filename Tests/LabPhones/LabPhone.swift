import Cryptography
import Endpoints
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives

/// One phone. What it does with a call is the first word of the caller's name, a `CallKind`; where that says nothing of the phone, it only rings.
/// Some accounts have two: both act, and the server decides.
@LoopActor
final class LabPhone {
  /// Of the account, or that plus `twins` for its second phone.
  let number: Int
  private let client: PhoneClient
  private let settings: Settings
  private let tally: Tally
  private let ledger: Ledger
  /// The latest call that was announced; whether the server has confirmed that this phone acted on it, or the call is over for it.
  private var latest: (call: String, hasActed: Bool, isOver: Bool)?
  private var isSettingUp = false

  static let twins = 100_000

  /// How long after its first failure a wish is asked for again, where nodes die and come back meanwhile.
  private static let patience: Duration = .seconds(30)
  /// A phone that talks asks on: one question alone may hang for half a minute at a node that is stopped.
  private static let patienceInCall: Duration = .seconds(90)

  init(_ number: Int, _ settings: Settings, client: HTTPClient, tally: Tally, ledger: Ledger) throws {
    self.ledger = ledger
    self.number = number
    self.settings = settings
    self.tally = tally
    self.client = PhoneClient(phone: try .generate(number % 4 == 3 ? .p256 : .curve25519), client: client)
  }

  private var user: String { Self.user(number % Self.twins) }

  static func user(_ account: Int) -> String { "phone\(account)" }

  /// Accounts take turns: each transport has a third of them.
  static func transport(of account: Int) -> TransportChoice { [.udp, .tcp, .tls][account % 3] }

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
    let transport = Self.transport(of: number % Self.twins)
    let account = AccountBody(
      registrar: settings.registrar, user: user, domain: settings.domain,
      credentials: [CredentialBody(user: user, realm: settings.domain, password: "secret-\(user)", algorithm: .md5)], transport: transport)
    let push = PushBody.apns(token: Self.token(number), topic: "com.example.lab.voip", environment: .production)
    let client = client
    let state = await asking("set_up", nil) { () async throws(PhoneError) in try await client.setUp(account, push: push) }
    guard let state else { return false }
    tally.count("set_up_\(state.registration.state.rawValue)")
    return state.registration.state == .registered
  }

  /// The server has forgotten it, as a wish has shown: it sets itself up again, as an app does.
  private func setUpAgain() {
    guard !isSettingUp else { return }
    isSettingUp = true
    Task { @LoopActor in
      if await self.setUp() { self.tally.count("set_up_again") }
      self.isSettingUp = false
    }
  }

  /// False only where the server says so itself; right after it has lost everything it cannot tell.
  func isSetUp() async -> Bool {
    for _ in 0..<40 {
      do {
        _ = try await client.state()
        return true
      } catch {
        if case .problem(let problem) = error, problem.name == .notSetUp { return false }
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
    return true
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
    note(call) { $0.announced.append(Ledger.now) }
    tally.raise("worst_push_ms", to: Int((Loop.unixNow() - at).wholeMilliseconds))
    if latest?.call == call { return }
    latest = (call, false, false)
    let delay = Duration.milliseconds(200 + number * 37 % 1000)
    Task { @LoopActor in
      try? await Task.sleep(for: delay)
      await self.act(on: call)
    }
  }

  private func stopped() {
    tally.count("stops")
    // For a call that this phone never heard of: its node died while it announced it.
    guard let latest, !latest.isOver else { return ledger.stray(number) }
    if latest.hasActed { tally.count("stops_after_act") }
    self.latest?.isOver = true
    note(latest.call) { $0.stopped.append(Ledger.now) }
  }

  private func note(_ call: String, _ body: (inout Story.Device) -> Void) { ledger.change(call, device: number, body) }

  private func hasActed(on call: String) {
    if latest?.call == call { latest?.hasActed = true }
  }

  private func isOver(_ call: String) {
    if latest?.call == call { latest?.isOver = true }
  }

  // MARK: Acting

  private func act(on call: String) async {
    guard let latest, latest.call == call, !latest.isOver else { return }
    note(call) { $0.isActing = true }
    defer { note(call) { $0.isActing = false } }
    switch call.split(separator: " ").first {
    case "answered", "long", "hungup": await answer(call)
    case "declined": await decline(call)
    default: return tally.count("rung")
    }
  }

  private func decline(_ call: String) async {
    let client = client
    guard await asking("decline", call, { () async throws(PhoneError) in try await client.decline() }) != nil else { return }
    hasActed(on: call)
    isOver(call)
    tally.count("declines")
    note(call) { $0.declined = Ledger.now }
  }

  private func answer(_ call: String) async {
    let (client, sdp) = (client, sdp)
    guard let fetched = await asking("fetch", call, { () async throws(PhoneError) in try await client.fetch(on: .one) }) else { return }
    let isTalking = await asking("answer", call) { () async throws(PhoneError) in try await client.answer(sdp, on: fetched.line) }
    guard isTalking != nil else { return }
    hasActed(on: call)
    tally.count("answers")
    note(call) { $0.answered = Ledger.now }
    if call.hasPrefix("hungup") { hangUp(call, fetched.line) }
    await watch(call, fetched.line)
  }

  private func hangUp(_ call: String, _ line: Line) {
    let client = client
    Task { @LoopActor in
      try? await Task.sleep(for: .seconds(3))
      let isDone: Void? = await self.asking("hang_up", call) { () async throws(PhoneError) in try await client.hangUp(line) }
      guard isDone != nil else { return }
      self.tally.count("hang_ups")
      self.note(call) { $0.hungUp = Ledger.now }
    }
  }

  /// Until the call is over.
  private func watch(_ call: String, _ line: Line) async {
    let client = client
    var next = 0
    while true {
      let after = next
      let reply = await asking("status", call) { () async throws(PhoneError) in try await client.status(of: line, after: after, wait: 20) }
      guard let reply else { return }
      next = reply.next
      for event in reply.events {
        switch event.kind {
        case .ended(let why):
          isOver(call)
          note(call) { ($0.ended, $0.why) = (Ledger.now, why.rawValue) }
          return tally.count("ended_\(why.rawValue)")
        case .offer(let id, _):
          let sdp = sdp
          _ = await asking("offer", call) { () async throws(PhoneError) in try await client.answerOffer(id, with: sdp, on: line) }
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
    _ wish: String, _ call: String?, _ ask: @LoopActor () async throws(PhoneError) -> Reply
  ) async -> Reply? {
    var firstFailure: Instant?
    while true {
      do throws(PhoneError) {
        return try await ask()
      } catch {
        let since = firstFailure ?? Loop.now()
        firstFailure = since
        let patience = wish == "status" ? Self.patienceInCall : Self.patience
        guard error.isWorthAnother, Loop.now() - since < patience, await isWantedSoon(wish, call) else {
          failed(wish, call, error)
          return nil
        }
        tally.count("again_\(wish)")
      }
    }
  }

  /// The contract's words for a ringing call name none: one that this phone does not ring for any more is not to be answered.
  private func isWantedSoon(_ wish: String, _ call: String?) async -> Bool {
    try? await Task.sleep(for: .milliseconds(500))
    guard let call, ["fetch", "answer", "decline"].contains(wish) else { return true }
    return latest?.call == call && latest?.isOver == false
  }

  private func failed(_ wish: String, _ call: String?, _ error: PhoneError) {
    tally.count("failed_\(wish)_\(error.word)")
    if let call { note(call) { $0.problems.append("\(wish) \(error.word)") } }
    guard case .problem(let problem) = error, let call else { return }
    if problem.name == .notSetUp { setUpAgain() }
    // What it was told of the end went another way; now it knows all the same.
    if problem.name == .noCall, wish == "status" { note(call) { ($0.ended, $0.why) = (Ledger.now, problem.name.rawValue) } }
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
