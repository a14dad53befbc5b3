import PhoneContract
import Primitives
import Store

/// What is remembered of lines whose call is over, so that a phone that comes late hears the right thing.
struct PhoneDesk: Sendable, Equatable {
  static let memory = Contract.endedLifetime
  /// Above that others are forgotten early.
  static let most = 20_000

  private var missed: [DeviceLine: Instant] = [:]
  private var ended: [DeviceLine: Instant] = [:]

  /// The device had fetched the call on this line, and it ended before the answer.
  mutating func missed(_ line: DeviceLine, now: Instant) {
    Self.note(line, in: &missed, now: now)
  }

  /// An answered call ended.
  mutating func ended(_ line: DeviceLine, now: Instant) {
    Self.note(line, in: &ended, now: now)
  }

  private static func note(_ line: DeviceLine, in lines: inout [DeviceLine: Instant], now: Instant) {
    if lines.count >= most, let other = lines.keys.first { lines[other] = nil }
    lines[line] = now + memory
  }

  func hasMissed(_ line: DeviceLine, now: Instant) -> Bool { missed[line].map { $0 > now } ?? false }
  func hasEnded(_ line: DeviceLine, now: Instant) -> Bool { ended[line].map { $0 > now } ?? false }

  /// Another call is on the line.
  mutating func begun(_ line: DeviceLine) {
    missed[line] = nil
    ended[line] = nil
  }

  mutating func forgetOld(now: Instant) {
    missed = missed.filter { $0.value > now }
    ended = ended.filter { $0.value > now }
  }

  var isEmpty: Bool { missed.isEmpty && ended.isEmpty }
}
