import Cryptography
import Network
import PhoneContract
import Primitives
import Push
import SIP
import Store
import Switchboard

/// Seals what a device is told, and gives it to the device's channel.
@LoopActor
final class Announcer {
  private var apns: APNsSender? { didSet { apns?.maySend = maySend } }
  /// Whether a push that waited may still leave.
  var maySend: (@LoopActor () -> Bool)? { didSet { apns?.maySend = maySend } }
  private let metrics: NodeMetrics
  private var keys: [DeviceKey: SealingPublicKey] = [:]
  private static let mostKeys = 20_000
  /// Announcements whose outcome is not known yet.
  private var underWay: [Leg: UInt64] = [:]

  private struct Leg: Hashable {
    let call: CallID
    let device: DeviceID
  }

  /// Only to measure what the rest of a call costs it is false: then every device counts as told, and nothing is sealed or sent.
  private let tellsDevices: Bool

  init(apns: APNsSender?, metrics: NodeMetrics, tellsDevices: Bool) {
    self.apns = apns
    self.metrics = metrics
    self.tellsDevices = tellsDevices
  }

  /// Until nothing is on its way any more, or `limit` is over.
  func drain(within limit: Duration) async {
    let end = Loop.now() + limit
    while let apns, apns.pending > 0, Loop.now() < end { try? await Task.sleep(for: .milliseconds(20)) }
  }

  /// Another key or trust, for what is pushed from now on.
  func replace(apns new: APNsSender?) {
    apns?.retire()
    apns = new
  }

  func announce(_ call: CallID, _ device: Device, _ caller: Caller, _ completion: @escaping @LoopActor (AnnouncementOutcome) -> Void) {
    let message = Announcement.call(at: Loop.unixNow(), number: caller.number, name: caller.name)
    let began = Loop.now()
    let leg = Leg(call: call, device: device.id)
    underWay[leg] = push(message, to: device) { [self] outcome in
      underWay[leg] = nil
      metrics.pushed(.announcement, outcome, after: Loop.now() - began)
      completion(AnnouncementOutcome(outcome))
    }
  }

  /// An announcement that has not left yet shall not leave; its outcome says what became of it.
  func withdraw(_ call: CallID, _ device: DeviceID) {
    if let push = underWay[Leg(call: call, device: device)] { apns?.withdraw(push) }
  }

  func stop(_ device: Device, _ why: StopReason) {
    let began = Loop.now()
    _ = push(.stop(at: Loop.unixNow(), why: why), to: device) { [metrics] outcome in
      metrics.pushed(.stop, outcome, after: Loop.now() - began)
    }
  }

  /// The number of the push while it is under way. The outcome comes in a turn of its own.
  private func push(_ message: Announcement, to device: Device, _ completion: @escaping @LoopActor (PushOutcome) -> Void) -> UInt64? {
    let later: @LoopActor (PushOutcome) -> Void = { outcome in Loop.soon { completion(outcome) } }
    guard tellsDevices else {
      later(.accepted)
      return nil
    }
    guard let sealed = seal(message, for: device.sealing) else {
      later(.refused(.request))
      return nil
    }
    guard case .apns(let token, let topic, let environment) = device.push, let apns else {
      later(.refused(.configuration))
      return nil
    }
    let address = APNsAddress(token: token, topic: topic, environment: environment == .production ? .production : .development)
    return apns.send(sealed: sealed, to: address, completion: later)
  }

  private func seal(_ message: Announcement, for key: DeviceKey) -> Bytes? {
    guard let key = sealingKey(key) else { return nil }
    return try? HPKE.seal(message.padded(), to: key, info: Contract.announcementInfo)
  }

  private func sealingKey(_ key: DeviceKey) -> SealingPublicKey? {
    if let known = keys[key] { return known }
    guard let made = try? SealingPublicKey(jwk: JWK(kty: key.kty, crv: key.crv, x: key.x, y: key.y)) else { return nil }
    if keys.count >= Self.mostKeys { keys.removeAll(keepingCapacity: true) }
    keys[key] = made
    return made
  }
}

extension AnnouncementOutcome {
  /// Where it may have reached the device it counts as announced: a stop too many is silent, one too few rings for ever.
  init(_ outcome: PushOutcome) {
    switch outcome {
    case .accepted, .unknown: self = .announced
    case .tokenGone: self = .tokenGone
    case .refused, .unreachable, .overloaded: self = .notSent
    }
  }
}
