import Network
import Primitives
import RESP

/// A command from when it is asked until it has its one result.
@LoopActor
final class RedisCommand {
  let words: [Bytes]
  var timer: LoopTimer?
  /// It is on its way, so whether it is done is not known without an answer.
  var isSent = false
  private var completion: RedisConnection.Completion?

  init(_ words: [Bytes], _ completion: @escaping RedisConnection.Completion) {
    self.words = words
    self.completion = completion
  }

  var isFinished: Bool { completion == nil }

  /// Whom to tell; nil from the second time on.
  func finish() -> RedisConnection.Completion? {
    timer?.cancel()
    defer { completion = nil }
    return completion
  }
}

/// Commands that wait for a connection, in the order in which they came. Those whose time is over go now and then.
@LoopActor
struct CommandQueue {
  private var commands: [RedisCommand] = []
  private var purgeAt = 64

  nonisolated init() {}

  mutating func append(_ command: RedisCommand) {
    if commands.count >= purgeAt {
      commands.removeAll { $0.isFinished }
      purgeAt = max(64, commands.count * 2)
    }
    commands.append(command)
  }

  mutating func takeAll() -> [RedisCommand] {
    defer { commands = [] }
    return commands.filter { !$0.isFinished }
  }
}
