import PhoneContract
import Primitives
import Store

/// The ringing is over while announcements are still on their way: whoever turns out to have got one gets its stop.
struct Aftermath: Sendable, Equatable {
  let why: StopReason
  /// No word from their channel yet.
  var underWay: Set<DeviceID>
}

/// What became of an announcement.
public enum AnnouncementOutcome: Sendable, Equatable {
  /// The channel took it, or may have taken it.
  case announced
  /// The push service says that the token is dead.
  case tokenGone
  /// It certainly did not leave.
  case notSent
}

extension Call {
  /// A stop for each device that was told and did not act. Those of which nothing is known yet get theirs, where one is due, when
  /// their channel has spoken.
  mutating func silence(_ rings: [DeviceID: HeldCall.Ring], why: StopReason, actors: Set<DeviceID>) -> [Action] {
    let others = rings.filter { !actors.contains($0.key) }
    let underWay = Set(others.filter { $0.value == .intended }.keys)
    aftermath = underWay.isEmpty ? nil : Aftermath(why: why, underWay: underWay)
    let told = others.filter { $0.value == .announced }.map(\.key)
    // Whoever has acted knows of the call by another way than the announcement that is still to leave.
    let needless = rings.filter { actors.contains($0.key) && $0.value == .intended }.map(\.key)
    return (needless + Array(underWay)).sorted().map { .withdraw($0) } + told.sorted().map { .stop($0, why) }
  }

  /// Whose announcement may not have left yet.
  var announcementsUnderWay: [DeviceID] {
    (held?.rings.filter { $0.value == .intended }.map(\.key) ?? aftermath.map { Array($0.underWay) } ?? []).sorted()
  }

  /// To those of whom it is certain that they have not heard of the call.
  mutating func announceAgain() -> [Action] {
    guard let ringing = held else { return [] }
    let unreached = ringing.rings.filter { $0.value == .unreached && ringing.fetched[$0.key] == nil }.keys.sorted()
    for device in unreached { held?.rings[device] = .intended }
    return unreached.isEmpty ? [] : [.announce(unreached)]
  }

  mutating func announcementEnded(_ device: DeviceID, _ outcome: AnnouncementOutcome, now: Instant) -> [Action] {
    let gone = outcome == .tokenGone ? addresses[device].map { [Action.tokenGone(device, $0)] } ?? [] : []
    return gone + (held == nil ? lateOutcome(device, outcome) : outcomeWhileRinging(device, outcome)) + finished()
  }

  private mutating func outcomeWhileRinging(_ device: DeviceID, _ outcome: AnnouncementOutcome) -> [Action] {
    guard held?.rings[device] == .intended else { return [] }
    held?.rings[device] = outcome == .announced ? .announced : outcome == .tokenGone ? .tokenGone : .unreached
    guard held?.isUnreachable == true else { return [] }
    return refuse(480, why: .refused) + [.note(.unreachable(id))]
  }

  private mutating func lateOutcome(_ device: DeviceID, _ outcome: AnnouncementOutcome) -> [Action] {
    guard var rest = aftermath, rest.underWay.remove(device) != nil else { return [] }
    aftermath = rest.underWay.isEmpty ? nil : rest
    return outcome == .announced ? [.stop(device, rest.why)] : []
  }
}
