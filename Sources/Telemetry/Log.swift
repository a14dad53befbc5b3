public import Primitives
import Synchronization

/// The log of a node: lines of a message and typed fields, none of which can hold personal data (see `LogField`).
///
/// Writing never waits. What its sink does not take at once is kept, up to `limit` bytes, and offered again with the next
/// line; lines for which there is no room are dropped and counted, and a line says how many once there is room.
public final class Log: Sendable {
  public enum Level: String, Sendable, Comparable, CaseIterable {
    case error, warning, info, debug

    private var rank: Int {
      switch self {
      case .error: 0
      case .warning: 1
      case .info: 2
      case .debug: 3
      }
    }

    /// Whether `left` is more urgent.
    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }
  }

  public enum Format: String, Sendable, CaseIterable { case text, json }

  /// Takes as many of the bytes as go without waiting and says how many they were.
  public typealias Sink = @Sendable (Slice) -> Int

  public let level: Level
  private let format: Format
  private let limit: Int
  private let now: @Sendable () -> Instant
  private let sink: Sink
  private let waiting = Mutex(Waiting())

  /// - Parameter limit: bytes that are kept while the sink takes none.
  public init(
    level: Level = .info, format: Format = .text, limit: Int = 256 << 10, now: @escaping @Sendable () -> Instant, sink: @escaping Sink
  ) {
    self.level = level
    self.format = format
    self.limit = limit
    self.now = now
    self.sink = sink
  }

  public func error(_ message: StaticString, _ fields: LogField...) { write(.error, message, fields) }
  public func warning(_ message: StaticString, _ fields: LogField...) { write(.warning, message, fields) }
  public func info(_ message: StaticString, _ fields: LogField...) { write(.info, message, fields) }
  public func debug(_ message: StaticString, _ fields: LogField...) { write(.debug, message, fields) }

  /// Lines that found no room since the start.
  public var dropped: Int { waiting.withLock { $0.dropped } }

  /// Offers what waits to the sink once more; for the end of the process.
  public func flush() { waiting.withLock { $0.drain(into: sink) } }

  private func write(_ level: Level, _ message: StaticString, _ fields: [LogField]) {
    guard level <= self.level else { return }
    let time = now()
    let line = LogLine(time: time, level: level, message: message, fields: fields).bytes(format)
    waiting.withLock { waiting in
      waiting.drain(into: sink)
      if waiting.untold > 0 {
        waiting.add(lostLines(waiting.untold, time), limit: limit, tells: true)
        waiting.drain(into: sink)
      }
      waiting.add(line, limit: limit)
      waiting.drain(into: sink)
    }
  }

  private func lostLines(_ count: Int, _ time: Instant) -> Bytes {
    LogLine(time: time, level: .warning, message: "log lines dropped", fields: [.number("lines", count)]).bytes(format)
  }
}

/// What the sink has not taken yet.
private struct Waiting {
  var bytes = Bytes()
  var dropped = 0
  /// Dropped lines of which no line tells yet.
  var untold = 0

  mutating func add(_ line: Bytes, limit: Int, tells: Bool = false) {
    if bytes.count + line.count <= limit {
      bytes += line
      if tells { untold = 0 }
    } else if !tells {
      dropped += 1
      untold += 1
    }
  }

  mutating func drain(into sink: Log.Sink) {
    guard !bytes.isEmpty else { return }
    bytes.removeFirst(min(max(sink(bytes[...]), 0), bytes.count))
  }
}
