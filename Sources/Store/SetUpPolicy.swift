public import Primitives

/// How many devices an account may have, and who goes when all slots are taken.
public struct SetUpPolicy: Hashable, Sendable {
  public var slots: Int
  public var whenFull: WhenFull

  public enum WhenFull: Sendable { case replaceOldest, refuse }

  public init(slots: Int = 4, whenFull: WhenFull = .replaceOldest) {
    self.slots = slots
    self.whenFull = whenFull
  }
}

/// What a set-up leads to.
public enum SetUpOutcome: Hashable, Sendable, Discreet {
  /// The account to be written, and the devices that lost their slot.
  case accepted(Account, lost: [DeviceID])
  /// The credentials are not the account's: only the provider can say whether they are right. Nothing changes until then.
  case credentialsDiffer
  case slotsFull
}

extension Account {
  /// The account after `device` was set up with what `asked` says (its devices do not count). `accepted`: the provider took these
  /// credentials. `takingSlotOf` counts where all slots are taken.
  public func settingUp(
    _ device: Device, asked: Account, accepted: Bool = false, takingSlotOf named: DeviceID? = nil, policy: SetUpPolicy
  ) -> SetUpOutcome {
    guard accepted || asked.isKnown(to: self) else { return .credentialsDiffer }
    var result = asked
    if !accepted { result.credentials = credentials }
    result.devices = devices
    let lostByToken = result.removeOthers(reachedBy: device.push, than: device.id)
    if let index = result.devices.firstIndex(where: { $0.id == device.id }) {
      result.devices[index] = device.following(result.devices[index])
      return .accepted(result, lost: lostByToken)
    }
    guard let lostByRoom = result.makeRoom(takingSlotOf: named, policy: policy) else { return .slotsFull }
    result.devices.append(device)
    return .accepted(result, lost: lostByToken + lostByRoom)
  }

  /// Whether whoever asks knows a secret of the account: all its credentials are the account's, for the same user name. One that the
  /// account does not have proves nothing, so it has to go the way over the provider.
  private func isKnown(to account: Account) -> Bool {
    (authUser ?? user) == (account.authUser ?? account.user) && !credentials.isEmpty
      && credentials.allSatisfy { account.credentials.contains($0) }
  }

  /// The same push token under a new key: a re-installed app, its old device is gone.
  mutating func removeOthers(reachedBy push: PushAddress, than id: DeviceID) -> [DeviceID] {
    let lost = devices.filter { $0.id != id && $0.push.reachesTheSame(as: push) }.map { $0.id }
    devices.removeAll { lost.contains($0.id) }
    return lost
  }

  /// nil where nobody may go.
  private mutating func makeRoom(takingSlotOf named: DeviceID?, policy: SetUpPolicy) -> [DeviceID]? {
    var lost: [DeviceID] = []
    while devices.count >= max(policy.slots, 1) {
      let index = devices.firstIndex { $0.id == named } ?? (policy.whenFull == .replaceOldest ? leastRecentlyActive : nil)
      guard let index else { return nil }
      lost.append(devices.remove(at: index).id)
    }
    return lost
  }

  private var leastRecentlyActive: Int? {
    devices.indices.min { devices[$0].lastActive < devices[$1].lastActive }
  }
}

extension Device {
  /// The device as it is set up again: a token that is known to be dead does not live again by being repeated.
  fileprivate func following(_ before: Device) -> Device {
    var device = self
    if push == before.push { device.pushState = before.pushState }
    return device
  }
}
