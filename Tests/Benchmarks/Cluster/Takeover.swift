import Network
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// A node is killed, with calls that ring and calls that were answered; and when what works again.
@LoopActor
final class Takeover {
  /// Accounts of the node that is killed.
  let moved: [Int]
  private(set) var registered = Sample()
  private(set) var rang = Sample()
  private(set) var fetched = Sample()
  private(set) var told = Sample()
  private(set) var repeated = 0
  private(set) var troubles: [String: Int] = [:]

  private let bench: Bench
  private let victim = 0
  /// Of the moved ones.
  private let ringing: [Int]
  private let answered: [Int]
  private var killedAt: Instant?
  private var underWay: [String: (call: PreparedCall, member: Int, tries: Int)] = [:]
  /// Those that have not rung yet, by their user; and those whose REGISTER has not come.
  private var silent: [String: Int] = [:]
  private var unregistered: Set<String> = []
  private var waiting = 0
  /// Final and provisional responses so far, by the call's name.
  private var heard: [String: Set<Int>] = [:]

  private static let mostCalls = 20
  private static let mostTries = 5

  init(_ bench: Bench) {
    self.bench = bench
    let (moved, count) = Self.split(bench, victim)
    self.moved = moved
    ringing = Array(moved.prefix(count))
    answered = Array(moved.dropFirst(count).prefix(count))
    bench.provider.onAnswer = { [weak self] in self?.callerHears($0, $1, $2) }
  }

  private static func split(_ bench: Bench, _ victim: Int) -> ([Int], Int) {
    let moved = bench.fleet.members.indices.filter { bench.home(of: $0) == victim }
    return (moved, min(mostCalls, moved.count / 4))
  }

  var calls: Int { ringing.count + answered.count }

  // MARK: Before

  /// Calls ring, and some of them are answered.
  func prepare() async throws {
    for member in ringing + answered { ring(member) }
    try await until("calls ring") { self.heard.values.filter { $0.contains(180) }.count == self.calls }
    for member in answered {
      let client = bench.fleet.client(member, at: victim)
      _ = try await client.fetch(on: .one)
      _ = try await client.answer(AnsweredCalls.description, on: .one)
    }
    try await until("calls are answered") { self.heard.values.filter { $0.contains(200) }.count == self.answered.count }
  }

  private func until(_ what: String, _ holds: @LoopActor () -> Bool) async throws {
    for _ in 0..<200 where !holds() { await Pace.pause(.milliseconds(50)) }
    guard holds() else { throw Trouble("not all \(what)") }
  }

  /// - Parameter tries: how often he has called in vain; each time it is another call.
  private func ring(_ member: Int, tries: Int = 0) {
    let call = bench.call(member + tries * bench.fleet.members.count, to: member)
    underWay[call.name] = (call, member, tries)
    bench.provider.ring(call)
  }

  // MARK: The kill

  /// Returns when everything works again, or patience is over.
  func kill(patience: Duration) async {
    let others = moved.dropFirst(calls)
    for member in others { silent[bench.fleet.members[member].user] = member }
    unregistered = Set(moved.map { bench.fleet.members[$0].user })
    bench.provider.onRegistered = { [weak self] user, _ in self?.registers(user) }
    waiting = calls
    let now = Loop.now()
    killedAt = now
    bench.servers.nodes[victim].kill()
    for member in ringing { ask(member, until: now + patience) { _ = try await $0.fetch(on: .one) } }
    for member in answered { ask(member, until: now + patience) { _ = try await $0.status(of: .one, after: 0, wait: 0) } }
    used = await ProcessorUse.of(bench) {
      while Loop.now() < now + patience, !self.isOver { await Pace.pause(.milliseconds(50)) }
    }
    note("accounts without a REGISTER", unregistered.count)
    for member in silent.values { note("accounts that do not ring; their callers have heard \(heard(by: member))") }
    note("calls without an answer to the phone", waiting)
    note("nodes that had no lease for a while", bench.servers.logged("this node has no lease"))
  }

  /// From the kill to the end.
  private(set) var used: ProcessorUse?

  private var isOver: Bool { silent.isEmpty && unregistered.isEmpty && waiting == 0 }

  private func note(_ trouble: String, _ count: Int = 1) {
    if count > 0 { troubles[trouble, default: 0] += count }
  }

  /// Through one that lives, again and again until it answers.
  private func ask(_ member: Int, until deadline: Instant, _ what: @escaping @LoopActor (PhoneClient) async throws -> Void) {
    let client = bench.fleet.client(member, at: 1 + member % (bench.servers.nodes.count - 1))
    Task {
      while Loop.now() < deadline {
        do {
          try await what(client)
          return answers(member)
        } catch PhoneError.problem(let problem) where problem.status != 503 {
          waiting -= 1
          return note("phones of moved calls were told \(problem.name.rawValue)")
        } catch {
          await Pace.pause(.milliseconds(50))
        }
      }
    }
  }

  private func answers(_ member: Int) {
    guard let killedAt else { return }
    waiting -= 1
    let since = Loop.now() - killedAt
    if answered.contains(member) { told.add(since) } else { fetched.add(since) }
  }

  // MARK: The provider

  /// He calls at once.
  private func registers(_ user: String) {
    guard let killedAt, unregistered.remove(user) != nil else { return }
    registered.add(Loop.now() - killedAt)
    if let member = silent[user] { callAnew(member, tries: 0) }
  }

  private func callAnew(_ member: Int, tries: Int) {
    ring(member, tries: tries)
    repeatUnheard(member, tries, after: .milliseconds(500))
  }

  /// RFC 3261 §17.1.1.2: twice as late each time, until 64·T1.
  private func repeatUnheard(_ member: Int, _ tries: Int, after pause: Duration) {
    Loop.after(pause) { [weak self] in
      guard let self, pause < .seconds(32), silentUser(member) != nil, isUnheard(member, tries) else { return }
      repeated += 1
      ring(member, tries: tries)
      repeatUnheard(member, tries, after: pause * 2)
    }
  }

  private func isUnheard(_ member: Int, _ tries: Int) -> Bool {
    heard[bench.call(member + tries * bench.fleet.members.count, to: member).name] == nil
  }

  private func callerHears(_ status: Int, _ name: String, _ response: Response) {
    guard let (call, member, tries) = underWay[name] else { return }
    heard[name, default: []].insert(status)
    if status >= 200 { bench.provider.send(call.ack(response), of: call) }
    guard let killedAt, let user = silentUser(member) else { return }
    if status == 180 {
      silent[user] = nil
      rang.add(Loop.now() - killedAt)
    } else if status >= 300 {
      note("calls to moved accounts got \(status)")
      if tries < Self.mostTries { Loop.after(.seconds(1)) { [weak self] in self?.callAnew(member, tries: tries + 1) } }
    }
  }

  /// For whoever looks for the reason: what came back on the last call to the account.
  private func heard(by member: Int) -> String {
    let last = underWay.filter { $0.value.member == member }.max { $0.value.tries < $1.value.tries }
    guard let last else { return "nothing, for they have not called" }
    let statuses = (heard[last.key] ?? []).sorted().map { "\($0)" }
    return statuses.isEmpty ? "nothing" : statuses.joined(separator: " and ")
  }

  private func silentUser(_ member: Int) -> String? {
    let user = bench.fleet.members[member].user
    return silent[user] == nil ? nil : user
  }
}
