import Network
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// How long a call takes through the server, at 100 calls a second. Measured at its peers, so both ways over the loopback and what
/// the peers themselves take (the phone signs, the push service decrypts) are in it.
@LoopActor
struct LatencyRun {
  private static let rate = 100
  private let seconds: Int

  nonisolated init(_ options: Options) { seconds = options.seconds }

  func run() async throws {
    Report.heading("Latency at \(Self.rate) calls/s, seen from the stand-ins (each call: INVITE, push, fetch, answer, 200, ACK, BYE)")
    let bench = try await Bench.start(accounts: 300)
    defer { bench.stop() }
    let story = Story(bench, calls: Self.rate * seconds)
    await Pace.run(Self.rate * seconds, perSecond: Self.rate) { story.ring($0) }
    await Pace.pause(.seconds(2))
    Report.times("INVITE sent → push request decrypted at the push service", story.push)
    Report.times("fetch given to the phone's connection → its reply", story.fetch)
    Report.times("answer given to the phone's connection → 200 OK at the caller", story.answer)
    Report.times("fetch given → 200 OK at the caller (fetch, reply, answer, 200)", story.whole)
    if story.failures > 0 { Report.line("calls that failed", "\(story.failures)") }
  }

  /// All calls of a run, and what came when.
  @LoopActor
  private final class Story {
    var push = Sample()
    var fetch = Sample()
    var answer = Sample()
    var whole = Sample()
    private(set) var failures = 0

    private let bench: Bench
    private let calls: [PreparedCall]
    private var numbers: [String: Int] = [:]
    /// By account, since a push names only the device: the call that rings there, and since when.
    private var ringing: [String: (call: Int, since: Instant)] = [:]
    private var fetched: [Int: Instant] = [:]
    private var answered: [Int: Instant] = [:]

    init(_ bench: Bench, calls count: Int) {
      self.bench = bench
      calls = (0..<count).map { PreparedCall($0, to: bench.targets[$0 % bench.targets.count]) }
      for (number, call) in calls.enumerated() { numbers[call.name] = number }
      bench.provider.onAnswer = { [weak self] in self?.callerHears($0, $1, $2) }
      bench.pushService.onPush = { [weak self] in self?.pushed($0, $1) }
    }

    func ring(_ number: Int) {
      ringing[member(number).token] = (number, Loop.now())
      bench.provider.send(calls[number].invite)
    }

    private func member(_ number: Int) -> Fleet.Member { bench.fleet.members[number % bench.fleet.members.count] }

    private func pushed(_ token: String, _ at: Instant) {
      guard let (number, since) = ringing.removeValue(forKey: token) else { return }
      push.add(at - since)
      Task { await take(number) }
    }

    private func take(_ number: Int) async {
      let client = member(number).client
      let began = Loop.now()
      do {
        fetched[number] = began
        _ = try await client.fetch(on: .one)
        let now = Loop.now()
        fetch.add(now - began)
        answered[number] = now
        _ = try await client.answer(Self.description, on: .one)
      } catch {
        failures += 1
      }
    }

    private func callerHears(_ status: Int, _ name: String, _ response: Response) {
      guard status >= 200, let number = numbers[name] else { return }
      bench.provider.send(calls[number].ack(response))
      guard status == 200, let began = fetched.removeValue(forKey: number), let said = answered.removeValue(forKey: number) else { return }
      let now = Loop.now()
      whole.add(now - began)
      answer.add(now - said)
      let bye = calls[number].bye(response)
      Loop.after(.milliseconds(500)) { [bench] in bench.provider.send(bye) }
    }

    private static let description =
      "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n"
  }
}
