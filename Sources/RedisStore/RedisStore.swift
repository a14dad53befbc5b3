public import Network
public import Primitives
import RESP
public import Store

/// The store of a cluster: in Redis, in memory only. Each command of the store is one command of Redis; whatever decides is a script
/// there, so that no other node's command comes in between.
@LoopActor
public final class RedisStore {
  public let connection: RedisConnection
  /// Redis has forgotten everything, over a connection that held: emptied by hand, or restarted behind a proxy.
  public var onNewBeginning: (@LoopActor () -> Void)?
  /// Redis has no room for what it is told, or has again.
  public var onFull: (@LoopActor (Bool) -> Void)?
  private var isFull = false { didSet { if isFull != oldValue { onFull?(isFull) } } }
  private var beginning: Bytes?
  private let scribe: StoreScribe
  private var fixedParts = FixedParts()

  /// How long a command may take before its answer is `unavailable`.
  public static let patience = Duration.seconds(1)

  /// What a user of Redis must be allowed, as `ACL SETUSER` takes it.
  public nonisolated static let rights = """
    resetkeys ~rh:* resetchannels -@all +ping +role +info +client|id +client|kill +config|get +script|load +eval +evalsha +time +get +set +del +hget +hmget +hset +hdel \
    +hkeys +hlen +hexists +sadd +srem +smembers +zadd +zrem +zscore +zcard +zremrangebyscore +zrangebylex +pttl +pexpire
    """

  /// Best before the connection is started: then Redis learns the scripts before it gets the first command.
  /// - Parameter clusterKey: 32 bytes, the same on all nodes; what is stored is sealed under it. nil where there are not 32.
  public init?(_ connection: RedisConnection, clusterKey: Bytes, limits: RedisStoreLimits = .init()) {
    guard clusterKey.count == 32 else { return nil }
    self.connection = connection
    scribe = StoreScribe(seal: Seal(clusterKey: clusterKey), limits: limits)
    // So that no command overtakes another one whose script has to be sent first.
    connection.greeting = Scripts.all.map { [Array("SCRIPT".utf8), Array("LOAD".utf8), $0.source] }
  }

  public func perform(_ command: StoreCommand, _ completion: @escaping @LoopActor (StoreReply) -> Void) {
    perform(command, now: Loop.now(), leaseOffset: .zero, completion)
  }

  public func perform(_ command: StoreCommand) async -> StoreReply {
    await withCheckedContinuation { continuation in perform(command) { continuation.resume(returning: $0) } }
  }

  func perform(
    _ command: StoreCommand, now: Instant, leaseOffset: Duration, _ completion: @escaping @LoopActor (StoreReply) -> Void
  ) {
    if case .removeCall(_, let call, _) = command { fixedParts.forget(call) }
    switch scribe.plan(command, now: now, leaseOffset: leaseOffset, fixedParts) {
    case .answer(let reply): completion(reply)
    case .ask(let question): ask(question, until: Loop.now() + Self.patience, completion)
    }
  }

  private func ask(
    _ question: Question, withSource: Bool = false, until deadline: Instant, _ completion: @escaping @LoopActor (StoreReply) -> Void
  ) {
    let limit = Loop.now().duration(to: deadline)
    connection.perform(question.command(withSource: withSource), limit: limit) { [weak self] result in
      guard let self, case .success(let value) = result else { return completion(.unavailable) }
      switch value.errorCode {
      case nil:
        if let again = question.again(after: value) { return ask(again, until: deadline, completion) }
        let reply = question.read(value) ?? .unavailable
        if let told = question.tells, reply == .done { fixedParts.told(told.name, of: told.call) }
        if reply == .granted { isFull = false }
        completion(reply)
        if reply == .renewed { began(value.list?.last?.bytes) }
      // A Redis that has just become the primary, or has been restarted.
      case "NOSCRIPT" where !withSource: ask(question, withSource: true, until: deadline, completion)
      case "OOM":
        isFull = true
        completion(.full)
      default: completion(.unavailable)
      }
    }
  }

  /// Each renewal of the lease brings word of when what Redis knows began.
  private func began(_ time: Bytes?) {
    let before = beginning
    beginning = time ?? before
    if before != nil, before != beginning { onNewBeginning?() }
  }
}
