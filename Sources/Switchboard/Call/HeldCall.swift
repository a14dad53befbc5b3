import PhoneContract
import Primitives
import Store

/// A call that rings: who was told, who fetched it, who waits for whom (phone contract, "An incoming call").
struct HeldCall: Sendable, Equatable {
  /// How far a device's announcement has come.
  enum Ring: UInt8, Sendable, Equatable {
    /// Recorded and handed to the channel; no word from it yet.
    case intended = 1
    /// Taken by the channel, or perhaps taken.
    case announced
    /// The device has certainly not heard of the call.
    case unreached
    /// Nor will it: the push service says that its token is dead.
    case tokenGone
  }

  /// A fetch holds the call for its device until it answers or the time is over.
  struct Claim: Sendable, Equatable {
    let device: DeviceID
    let until: Instant
    func isActive(now: Instant) -> Bool { now < until }
  }

  /// A request that waits for the outcome of another device's claim.
  struct Waiting: Sendable, Equatable {
    let request: PhoneRequestID
    let device: DeviceID
    let wish: Wish
  }

  enum Wish: Sendable, Equatable {
    case fetch(Line)
    case decline
  }

  static let claimTime = Contract.claimLifetime
  static let ringingRepeat = Duration.seconds(60)
  static let mostWaiting = 16

  var protection: Instant
  var nextRinging: Instant
  var rings: [DeviceID: Ring]
  var fetched: [DeviceID: Line] = [:]
  var claim: Claim?
  var waiting: [Waiting] = []
  var kept: [DeviceID: Bytes] = [:]

  init(devices: [DeviceID], protection: Duration, now: Instant) {
    self.protection = now + protection
    nextRinging = now + Self.ringingRepeat
    rings = Dictionary(uniqueKeysWithValues: devices.map { ($0, .intended) })
  }

  var nextDeadline: Instant {
    let claimEnd = waiting.isEmpty ? nil : claim?.until
    return min(protection, nextRinging, claimEnd ?? .distantFuture)
  }

  /// Whether no device is left that could hear of the call.
  var isUnreachable: Bool { rings.values.allSatisfy { $0 == .tokenGone } && fetched.isEmpty }

  /// Whether another device holds the call at this moment.
  func isClaimed(besides device: DeviceID, now: Instant) -> Bool {
    claim.map { $0.device != device && $0.isActive(now: now) } ?? false
  }

  /// Whether the device may answer on the line: it fetched the call for it, and nobody has fetched it since.
  func mayAnswer(_ device: DeviceID, line: Line) -> Bool {
    fetched[device] == line && claim.map { $0.device == device } ?? true
  }
}
