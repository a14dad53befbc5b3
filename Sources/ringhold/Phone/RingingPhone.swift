import Demo
import Glibc
import Network
import PhoneContract
import PhoneKit
import Primitives
import Telemetry

/// The phone that waits for calls: pushes and keys go into the handset, requests and lines of text come out.
@LoopActor
final class RingingPhone {
  private let client: PhoneClient
  private let habits: PhoneHabits
  private var handset = Handset()
  /// Session descriptions that were sent in this call.
  private var descriptions = 0
  private var callsLeft: Int?
  private var status: ExitStatus = .success
  private var isLeaving = false
  private var hangUpTimer: LoopTimer?
  private var finished: CheckedContinuation<Void, Never>?

  init(_ client: PhoneClient, _ habits: PhoneHabits) {
    self.client = client
    self.habits = habits
    callsLeft = habits.calls
  }

  /// Until the user or the habits end it. Failure: the last call that the habits wanted did not go as it should.
  func run(_ push: PushStandIn) async -> ExitStatus {
    // Without a terminal there are no keys.
    let keys = try? KeyInput(of: STDIN_FILENO) { [weak self] in self?.pressed($0) }
    defer { keys?.close() }
    for signal in [SIGINT, SIGTERM] { try? Loop.onSignal(signal) { [weak self] in self?.leave() } }
    push.onRecord = { [weak self] in self?.took($0) }
    defer { push.onRecord = nil }
    await sayHow()
    await withCheckedContinuation { finished = $0 }
    return habits.calls == nil ? .success : status
  }

  /// Whether calls can come at all. A server that is not there yet may come later.
  private func sayHow() async {
    do {
      say("waiting for calls; registered: \(try await client.state().registration.state.rawValue)")
    } catch {
      say("waiting for calls, but \(error)")
    }
  }

  // MARK: What comes

  private func took(_ record: PushRecord) {
    guard record.status == 200, let sealed = record.sealed else { return say("push refused: \(record.description)") }
    do {
      let announcement = try client.phone.open(sealed)
      say("push: \(sealed.count) sealed bytes, opened")
      perform(handset.announced(announcement))
    } catch {
      say("push: \(sealed.count) sealed bytes for another phone")
    }
  }

  private func pressed(_ keys: Slice) {
    for key in keys {
      switch UnicodeScalar(key) {
      case "a": perform(handset.answer())
      case "d": perform(handset.decline())
      case "h": perform(handset.hangUp())
      case "q", Self.interrupt: leave()
      default: break
      }
    }
  }

  /// Ctrl-C.
  private static let interrupt = UnicodeScalar(3 as UInt8)

  /// Hangs up before it ends; told twice, it ends at once.
  private func leave() {
    let wasLeaving = isLeaving
    isLeaving = true
    let actions = wasLeaving ? [] : handset.hangUp()
    if actions.isEmpty { finish() } else { perform(actions) }
  }

  private func finish() {
    finished?.resume()
    finished = nil
  }

  // MARK: What is done

  private func perform(_ actions: [Handset.Action]) { for action in actions { perform(action) } }

  private func perform(_ action: Handset.Action) {
    switch action {
    case .show(let notice): show(notice)
    case .fetch: reply({ client, line throws(PhoneError) in try await client.fetch(on: line) }) { $0.fetched($1) }
    case .answer(let offer): answer(offer)
    case .decline: reply({ client, _ throws(PhoneError) in try await client.decline() }) { $0.declined($1) }
    case .hangUp: reply({ client, line throws(PhoneError) in try await client.hangUp(line) }) { $0.hungUp($1) }
    case .watch(let next, let pause): watch(next, pause)
    case .answerOffer(let id, let sdp): answerOffer(id, sdp)
    }
  }

  /// Sends a request and tells the handset what came of it.
  private func reply<Reply: Sendable>(
    _ request: @escaping @LoopActor (PhoneClient, Line) async throws(PhoneError) -> Reply,
    then: @escaping @LoopActor (inout Handset, Result<Reply, PhoneError>) -> [Handset.Action]
  ) {
    Task {
      do throws(PhoneError) {
        let reply = try await request(client, habits.line)
        perform(then(&handset, .success(reply)))
      } catch {
        perform(then(&handset, .failure(error)))
      }
    }
  }

  private func answer(_ offer: String?) {
    do {
      let sdp = try description(for: offer)
      reply({ client, line throws(PhoneError) in try await client.answer(sdp, on: line) }) { $0.answered($1) }
    } catch {
      say("\(error): declining")
      perform(handset.decline())
    }
  }

  private func watch(_ next: Int, _ pause: Duration) {
    Loop.after(pause) { [self] in
      reply({ client, line throws(PhoneError) in try await client.status(of: line, after: next) }) { $0.watched($1) }
    }
  }

  /// What comes of it shows in the call.
  private func answerOffer(_ id: String, _ offer: String?) {
    Task {
      do {
        try await client.answerOffer(id, with: try description(for: offer), on: habits.line)
        say("the caller changed the call; agreed")
      } catch {
        try? await client.refuseOffer(id, on: habits.line)
        say("the caller wants to change the call; refused: \(error)")
      }
    }
  }

  private func description(for offer: String?) throws(PhoneError) -> String {
    guard let media = habits.media else { throw .noCommonMedia }
    descriptions += 1
    return try media.answer(to: offer, version: descriptions)
  }

  // MARK: What the user sees

  private func show(_ notice: Handset.Notice) {
    switch notice {
    case .rings(let number, let name): rings(callerText(number: number, name: name))
    case .waiting(let number, let name): say("\(callerText(number: number, name: name)) calls too; this phone takes one call at a time")
    case .fetched(let offer): fetched(offer)
    case .up: up()
    case .over(let outcome): over(outcome)
    }
  }

  private func rings(_ caller: String) {
    descriptions = 0
    say("RINGS: \(caller)" + (habits.answers || habits.declines ? "" : "     a answer, d decline, q quit"))
    if habits.answers { perform(handset.answer()) }
    if habits.declines { perform(handset.decline()) }
  }

  private func fetched(_ offer: String?) {
    guard let offer else { return say("fetched; the caller offers nothing") }
    say("fetched; the caller offers")
    for line in offer.split(whereSeparator: \.isNewline) { Terminal.say("                 \(String(line).onOneLine)") }
  }

  private func up() {
    say("answered, the call is up on line \(habits.line.rawValue)     h hang up")
    guard let limit = habits.hangUpAfter else { return }
    hangUpTimer = Loop.after(limit) { [self] in perform(handset.hangUp()) }
  }

  private func over(_ outcome: Handset.Outcome) {
    hangUpTimer?.cancel()
    say("over: \(outcome.text)")
    status = outcome.isAsWished ? .success : .failed
    callsLeft = callsLeft.map { $0 - 1 }
    if isLeaving || callsLeft == 0 { finish() }
  }

  /// With the time of day in UTC, as the server's log has it.
  private func say(_ text: String) { Terminal.say("\(UTCTime(Loop.unixNow()).text.dropFirst(11))  \(text)") }
}

extension Handset.Outcome {
  fileprivate var text: String {
    switch self {
    case .declined: "declined"
    case .ended(let why): why?.rawValue ?? "the server knows no call any more"
    case .stopped(let why): "it stopped ringing, \(why.rawValue)"
    case .failed(let error): error.description
    }
  }

  fileprivate var isAsWished: Bool {
    switch self {
    case .declined, .ended(.hungUp): true
    case .ended, .stopped, .failed: false
    }
  }
}
