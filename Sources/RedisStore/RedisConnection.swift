public import Network
public import Primitives
public import RESP

/// The way to the one Redis that takes writes, found again whenever it is lost. Commands that come meanwhile wait, each for its time.
@LoopActor
public final class RedisConnection {
  public enum State: Hashable, Sendable {
    case answering(RedisAddress)
    /// nil: not tried yet.
    case unreachable(RedisTrouble?)
  }

  public typealias Completion = @LoopActor (Result<RESPValue, RedisFailure>) -> Void

  public private(set) var state = State.unreachable(nil) {
    didSet { if state != oldValue { onStateChange?(state) } }
  }
  public var onStateChange: (@LoopActor (State) -> Void)?
  public let traffic = RedisTraffic()
  /// Sent first over each new connection; the answers do not matter.
  var greeting: [[Bytes]] = []

  private let limits: RedisSettings.Limits
  private let search: PrimarySearch
  private var random: SeededRandom
  private var link: RedisLink?
  private var waiting = CommandQueue()
  private var underWay = 0
  private var run: Task<Void, Never>?
  private var isStopped = false

  public init(_ settings: RedisSettings, resolver: Resolver, random: SeededRandom) {
    limits = settings.limits
    self.random = random
    search = PrimarySearch(settings, resolver, traffic)
  }

  public func start() {
    guard run == nil, !isStopped else { return }
    run = Task { await keepConnected() }
  }

  public func stop() {
    isStopped = true
    run?.cancel()
    link?.end()
    for command in waiting.takeAll() { finish(command, .failure(.notDone)) }
  }

  /// Waits for the first connection. Throws what keeps it from being used where waiting does not help, or at the end of the limit.
  public func waitUntilAnswering(within limit: Duration) async throws(RedisTrouble) {
    let deadline = Loop.now() + limit
    while true {
      switch state {
      case .answering: return
      case .unreachable(let trouble?) where trouble.isFinal || Loop.now() >= deadline: throw trouble
      case .unreachable(nil) where Loop.now() >= deadline: throw .noAnswer
      case .unreachable: await Loop.pause(.milliseconds(10))
      }
    }
  }

  // MARK: Commands

  /// The answer, an error that Redis gave included; or why there is none within the limit.
  public func perform(_ words: [Bytes], limit: Duration = .seconds(1), _ completion: @escaping Completion) {
    guard !isStopped, underWay < limits.commands, (link?.queuedBytes ?? 0) < limits.queuedBytes else {
      return completion(.failure(isStopped ? .notDone : .queueFull))
    }
    underWay += 1
    let command = RedisCommand(words, completion)
    command.timer = Loop.after(limit) { [weak self] in self?.expired(command) }
    pass(command)
  }

  private func pass(_ command: RedisCommand) {
    guard let link, link.isOpen else { return waiting.append(command) }
    command.isSent = true
    link.send(command.words) { [weak self] in self?.answered(command, $0, over: link) }
  }

  private func answered(_ command: RedisCommand, _ answer: RESPValue?, over link: RedisLink) {
    guard let answer else { return finish(command, .failure(.unknown)) }
    guard let code = answer.errorCode, Self.tellsOfAnotherPrimary.contains(code) else { return finish(command, .success(answer)) }
    // Redis says that it did nothing: the command waits for the next primary.
    if !command.isFinished {
      command.isSent = false
      waiting.append(command)
    }
    self.link = nil
    link.end()
  }

  /// What a Redis says that was the primary, or is not yet (a replica, one that loads, one that lost its primary, or its replicas).
  private static let tellsOfAnotherPrimary: Set = ["READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS"]

  private func expired(_ command: RedisCommand) {
    finish(command, .failure(command.isSent ? .unknown : .notDone))
  }

  private func finish(_ command: RedisCommand, _ result: Result<RESPValue, RedisFailure>) {
    guard let completion = command.finish() else { return }
    underWay -= 1
    completion(result)
  }

  // MARK: The connection

  private func keepConnected() async {
    var pause = limits.firstPause
    while !isStopped {
      do throws(RedisTrouble) {
        let (link, address) = try await search.connect()
        pause = limits.firstPause
        await use(link, address)
        state = .unreachable(.noAnswer)
      } catch {
        state = .unreachable(error)
      }
      guard !isStopped else { return }
      await Loop.pause(random.jittered(pause, share: 0.5))
      pause = min(pause * 2, limits.longestPause)
    }
  }

  /// Returns when the connection is gone.
  private func use(_ link: RedisLink, _ address: RedisAddress) async {
    guard link.isOpen, !isStopped else { return link.end() }
    traffic.connections += 1
    self.link = link
    state = .answering(address)
    for command in greeting { link.send(command) { _ in } }
    for command in waiting.takeAll() { pass(command) }
    let pings = Task { await ping(over: link) }
    await withCheckedContinuation { continuation in link.onEnd = { continuation.resume() } }
    pings.cancel()
    if self.link === link { self.link = nil }
  }

  /// A connection that nobody uses would not tell that it is dead.
  private func ping(over link: RedisLink) async {
    while link.isOpen, !Task.isCancelled {
      if link.unanswered == 0 { link.send([Array("PING".utf8)]) { _ in } }
      await Loop.pause(limits.pingEvery)
    }
  }
}

extension Loop {
  static func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in _ = after(duration) { continuation.resume() } }
  }
}
