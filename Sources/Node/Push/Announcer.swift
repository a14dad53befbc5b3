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
  private let apns: APNsSender?
  private let metrics: NodeMetrics
  private var keys: [DeviceKey: SealingPublicKey] = [:]
  private static let mostKeys = 20_000

  init(apns: APNsSender?, metrics: NodeMetrics) {
    self.apns = apns
    self.metrics = metrics
  }

  func announce(_ call: CallID, _ device: Device, _ caller: Caller, _ completion: @escaping @LoopActor (AnnouncementOutcome) -> Void) {
    let message = Announcement.call(at: Loop.unixNow(), number: caller.number, name: caller.name)
    let began = Loop.now()
    push(message, to: device) { [metrics] outcome in
      metrics.pushed(.announcement, outcome, after: Loop.now() - began)
      completion(AnnouncementOutcome(outcome))
    }
  }

  func stop(_ device: Device, _ why: StopReason) {
    let began = Loop.now()
    push(.stop(at: Loop.unixNow(), why: why), to: device) { [metrics] outcome in
      metrics.pushed(.stop, outcome, after: Loop.now() - began)
    }
  }

  private func push(_ message: Announcement, to device: Device, _ completion: @escaping @LoopActor (PushOutcome) -> Void) {
    guard let sealed = seal(message, for: device.sealing) else { return completion(.refused(.request)) }
    switch device.push {
    case .apns(let token, let topic, let environment):
      guard let apns else { return completion(.refused(.configuration)) }
      let address = APNsAddress(token: token, topic: topic, environment: environment == .production ? .production : .development)
      apns.send(sealed: sealed, to: address, completion: completion)
    case .fcm, .webPush, .none: completion(.refused(.configuration))
    }
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
