import PhoneContract
import Primitives
import Store

/// What is remembered of lines whose call is over, so that a phone that comes late hears the right thing.
struct PhoneDesk: Sendable, Equatable {
  static let memory = Duration.seconds(60)
  /// Above that the oldest are forgotten early.
  static let most = 20_000

  private var missed: [DeviceLine: Instant] = [:]
  private var ended: [DeviceLine: Instant] = [:]

  /// The device had fetched the call on this line, and it ended before the answer.
  mutating func missed(_ line: DeviceLine, now: Instant) {
    guard missed.count < Self.most else { return }
    missed[line] = now + Self.memory
  }

  /// An answered call ended.
  mutating func ended(_ line: DeviceLine, now: Instant) {
    guard ended.count < Self.most else { return }
    ended[line] = now + Self.memory
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
