import Network
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// Calls that are answered, and what came when: INVITE, push, fetch, answer, 200, ACK, and half a second later BYE.
@LoopActor
final class AnsweredCalls {
  /// Of the calls that came one way.
  struct Times {
    var push = Sample()
    var fetch = Sample()
    var answer = Sample()
    var whole = Sample()
  }

  /// How a call's phone comes.
  struct Way {
    /// Counted from 0; figures are kept apart by it.
    var kind = 0
    let server: Int
  }

  private(set) var times: [Times]
  private(set) var failures = 0

  private let bench: Bench
  private let calls: [PreparedCall]
  private let ways: [Way]
  private let readsStatus: Bool
  private var numbers: [String: Int] = [:]
  /// By account, since a push names only the device: the call that rings there, and since when.
  private var ringing: [String: (call: Int, since: Instant)] = [:]
  private var fetched: [Int: Instant] = [:]
  private var answered: [Int: Instant] = [:]

  /// - Parameters:
  ///   - readsStatus: the phone asks for the call's status, and waits there for its end.
  ///   - first: number of the first call; no two calls of a bench may have the same.
  ///   - way: of the phone of a member of the fleet.
  init(_ bench: Bench, count: Int, first: Int = 0, kinds: Int = 1, readsStatus: Bool = false, way: (Int) -> Way = { _ in Way(server: 0) }) {
    self.bench = bench
    self.readsStatus = readsStatus
    let members = bench.fleet.members.count
    calls = (0..<count).map { bench.call(first + $0, to: $0 % members) }
    ways = (0..<min(count, members)).map(way)
    times = Array(repeating: Times(), count: kinds)
    for (number, call) in calls.enumerated() { numbers[call.name] = number }
    bench.provider.onAnswer = { [weak self] in self?.callerHears($0, $1, $2) }
    bench.pushService.onPush = { [weak self] in self?.pushed($0, $1) }
  }

  /// All of them, and the time that the last ones take.
  func run(perSecond rate: Int) async {
    await Pace.run(calls.count, perSecond: rate) { self.ring($0) }
    await Pace.pause(.seconds(2))
  }

  /// Calls that did not get as far as their 200.
  var lost: Int { calls.count - times.reduce(0) { $0 + $1.whole.count } }

  private func ring(_ number: Int) {
    ringing[bench.fleet.members[member(number)].token] = (number, Loop.now())
    bench.provider.ring(calls[number])
  }

  private func member(_ number: Int) -> Int { number % bench.fleet.members.count }

  private func way(_ number: Int) -> Way { ways[member(number)] }

  private func pushed(_ token: String, _ at: Instant) {
    guard let (number, since) = ringing.removeValue(forKey: token) else { return }
    times[way(number).kind].push.add(at - since)
    Task { await take(number) }
  }

  private func take(_ number: Int) async {
    let (way, began) = (way(number), Loop.now())
    let client = bench.fleet.client(member(number), at: way.server)
    do {
      fetched[number] = began
      _ = try await client.fetch(on: .one)
      let now = Loop.now()
      times[way.kind].fetch.add(now - began)
      answered[number] = now
      _ = try await client.answer(Self.description, on: .one)
      if readsStatus { _ = try await client.status(of: .one, after: 0, wait: 10) }
    } catch {
      failures += 1
    }
  }

  private func callerHears(_ status: Int, _ name: String, _ response: Response) {
    guard status >= 200, let number = numbers[name] else { return }
    let (call, provider) = (calls[number], bench.provider)
    provider.send(call.ack(response), of: call)
    guard status == 200, let began = fetched.removeValue(forKey: number), let said = answered.removeValue(forKey: number) else { return }
    let (now, kind) = (Loop.now(), way(number).kind)
    times[kind].whole.add(now - began)
    times[kind].answer.add(now - said)
    Loop.after(.milliseconds(500)) { provider.send(call.bye(response), of: call) }
  }

  static let description =
    "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n"
}
