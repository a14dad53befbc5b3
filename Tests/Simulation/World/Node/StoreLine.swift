import Core
import Primitives
import SIP
import Store

/// What a reply of the store belongs to, in the shell.
enum StoreQuestion {
  case core(NodeCore.Question)
  /// Whose a device is, whether it is one of the account's, and whether a nonce is new: for a phone's request.
  case accountOf(UInt64)
  case account(UInt64)
  case nonce(UInt64)
}

/// The way to the store's primary, found again whenever it is lost. Commands that come meanwhile wait, each for its time.
struct StoreLine {
  struct Command {
    let tag: Int
    let question: StoreQuestion
    let command: StoreCommand
    let askedAt: Instant
    var sentAt: Instant
    var isFinished = false
  }

  static let limit = Duration.seconds(1)
  static let connecting = Duration.milliseconds(700)
  static let firstPause = Duration.milliseconds(50)
  static let longestPause = Duration.seconds(1)

  var wire: Int?
  var attempt = 0
  var pause = firstPause
  var underWay: [Command] = []
  var waiting: [Command] = []
  var lastReceived = Instant.zero
  var isTimerSet = false
  private var lastTag = 0

  mutating func command(_ command: StoreCommand, _ question: StoreQuestion, now: Instant) -> Command {
    lastTag += 1
    return Command(tag: lastTag, question: question, command: command, askedAt: now, sentAt: now)
  }

  /// The oldest that was sent is answered; its question, unless it was given up before.
  mutating func answered(_ tag: Int, now: Instant) -> StoreQuestion? {
    guard let first = underWay.first, first.tag == tag else { return nil }
    lastReceived = now
    underWay.removeFirst()
    return first.isFinished ? nil : first.question
  }

  /// Those that have waited for too long.
  mutating func expire(now: Instant) -> [StoreQuestion] {
    var expired: [StoreQuestion] = []
    for index in underWay.indices where !underWay[index].isFinished && underWay[index].askedAt + Self.limit <= now {
      underWay[index].isFinished = true
      expired.append(underWay[index].question)
    }
    expired += waiting.filter { $0.askedAt + Self.limit <= now }.map(\.question)
    waiting.removeAll { $0.askedAt + Self.limit <= now }
    return expired
  }

  /// Whether an answer has been awaited for so long that none will come any more.
  func isSilent(now: Instant) -> Bool { silentUntil.map { $0 <= now } ?? false }

  private var silentUntil: Instant? { underWay.first.map { max($0.sentAt, lastReceived) + Self.limit } }

  var nextDeadline: Instant? {
    let oldest = underWay.first { !$0.isFinished }?.askedAt
    return [oldest, waiting.first?.askedAt].compactMap(\.self).map { $0 + Self.limit }.min().map { min($0, silentUntil ?? $0) }
      ?? silentUntil
  }

  /// The connection is gone: nobody knows what became of what was sent.
  mutating func lose() -> [StoreQuestion] {
    let lost = underWay.filter { !$0.isFinished }.map(\.question)
    (wire, underWay) = (nil, [])
    return lost
  }
}

/// Connections to providers over a reliable transport.
struct ProviderLines {
  /// Wires by the numbers that flows carry.
  var wires: [UInt64: Int] = [:]
  var numbers: [Int: UInt64] = [:]
  var flows: [UInt64: Flow] = [:]
  /// Who is registered over each.
  var accounts: [AccountID: UInt64] = [:]
  private var last: UInt64 = 0

  mutating func add(_ wire: Int, _ make: (UInt64) -> Flow) -> Flow {
    last += 1
    let flow = make(last)
    wires[last] = wire
    numbers[wire] = last
    flows[last] = flow
    return flow
  }

  mutating func remove(_ wire: Int) -> Flow? {
    guard let number = numbers.removeValue(forKey: wire) else { return nil }
    wires[number] = nil
    return flows.removeValue(forKey: number)
  }

  /// The open connection to there.
  func open(to remote: SocketAddress) -> Flow? { flows.values.filter { $0.remote == remote }.min { $0.connection < $1.connection } }

  func wire(of flow: Flow) -> Int? { flows[flow.connection] == flow ? wires[flow.connection] : nil }

  func accounts(on number: UInt64) -> [AccountID] { accounts.filter { $0.value == number }.keys.sorted() }
}
