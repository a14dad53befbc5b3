public import Network
import Primitives
import RESP

/// One connection to a Redis or a Sentinel. Answers come in the order of the commands.
@LoopActor
final class RedisLink {
  typealias Completion = @LoopActor (RESPValue?) -> Void

  /// Called once, when the connection is gone; all completions have been called by then.
  var onEnd: (@LoopActor () -> Void)?
  private(set) var isOpen = true
  let traffic: RedisTraffic

  private let stream: any ByteStream
  private let limits: RedisSettings.Limits
  private let decoder = RESPDecoder()
  private var waiting: [(sent: Instant, completion: Completion)] = []
  private var first = 0
  private var outgoing = Bytes()
  private var lastReceived = Instant.zero
  private var watch: LoopTimer?

  init(_ stream: any ByteStream, _ limits: RedisSettings.Limits, _ traffic: RedisTraffic) {
    self.stream = stream
    self.limits = limits
    self.traffic = traffic
    stream.onEnd = { [weak self] _ in self?.ended() }
    stream.onBytes = { [weak self] in self?.received($0) }
  }

  var unanswered: Int { waiting.count - first }
  var queuedBytes: Int { stream.queuedBytes + outgoing.count }

  /// `completion` gets nil where the connection ends before the answer.
  func send(_ words: [Bytes], _ completion: @escaping Completion) {
    guard isOpen else { return completion(nil) }
    // What is sent in one turn of the loop leaves as one piece.
    if outgoing.isEmpty { Loop.soon { [weak self] in self?.flush() } }
    let command = RESPCommand.encode(words)
    outgoing += command
    traffic.sent(command.count)
    waiting.append((Loop.now(), completion))
    watchSilence()
  }

  /// nil where there is none within the limit: the connection is ended then.
  func ask(_ words: [Bytes]) async -> RESPValue? {
    await withCheckedContinuation { continuation in send(words) { continuation.resume(returning: $0) } }
  }

  func end() { stream.abort() }

  private func flush() {
    guard isOpen, !outgoing.isEmpty else { return }
    stream.write(outgoing)
    outgoing.removeAll(keepingCapacity: outgoing.count < 65_536)
  }

  // MARK: Answers

  private func received(_ bytes: Slice) {
    traffic.received(bytes.count)
    lastReceived = Loop.now()
    decoder.feed(bytes)
    do {
      while isOpen, let answer = try decoder.next() {
        guard let completion = takeFirst() else { return end() }
        completion(answer)
      }
    } catch {
      end()
    }
  }

  private func takeFirst() -> Completion? {
    guard first < waiting.count else { return nil }
    let completion = waiting[first].completion
    first += 1
    if first > 64, first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    return completion
  }

  /// When the silence began, where an answer is awaited.
  private var silentSince: Instant? { first < waiting.count ? max(waiting[first].sent, lastReceived) : nil }

  /// Silence for too long means that no answer will come any more. Many answers may take longer than that, one after the other.
  private func watchSilence() {
    guard watch == nil, let silentSince else { return }
    watch = Loop.at(silentSince + limits.answering) { [weak self] in self?.endIfSilent() }
  }

  private func endIfSilent() {
    watch = nil
    guard let silentSince else { return }
    if silentSince + limits.answering <= Loop.now() { end() } else { watchSilence() }
  }

  private func ended() {
    isOpen = false
    watch?.cancel()
    while let completion = takeFirst() { completion(nil) }
    onEnd?()
    onEnd = nil
  }
}

/// What went over all connections, for metrics and for counting in tests.
@LoopActor
public final class RedisTraffic {
  public private(set) var commands = 0
  public private(set) var bytesSent = 0
  public private(set) var bytesReceived = 0
  /// Connections to a primary that were made.
  public internal(set) var connections = 0

  nonisolated init() {}

  func sent(_ count: Int) {
    commands += 1
    bytesSent += count
  }

  func received(_ count: Int) { bytesReceived += count }
}
