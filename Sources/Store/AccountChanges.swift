public import Primitives

/// Changes of one device that are not a set-up. nil: the account has no such device, or nothing changes.
extension Account {
  public func removing(_ id: DeviceID) -> Account? {
    guard device(id) != nil else { return nil }
    var account = self
    account.devices.removeAll { $0.id == id }
    return account
  }

  /// A new push address, and the other devices that it replaces.
  public func settingPush(_ push: PushAddress, of id: DeviceID, now: Instant) -> (account: Account, lost: [DeviceID])? {
    guard var device = device(id) else { return nil }
    if device.push != push { device.pushState = push.freshState }
    device.push = push
    device.lastActive = now
    var account = self
    let lost = account.removeOthers(reachedBy: push, than: id)
    account.replace(device)
    return (account, lost)
  }

  /// The push service says that `push` is dead. Where the device has another one by now, that one lives.
  public func losingPush(_ push: PushAddress, of id: DeviceID) -> Account? {
    guard var device = device(id), device.push == push, device.pushState == .ok else { return nil }
    device.pushState = .gone
    var account = self
    account.replace(device)
    return account
  }

  /// The device has asked for something.
  public func touching(_ id: DeviceID, now: Instant) -> Account? {
    guard var device = device(id), device.lastActive < now else { return nil }
    device.lastActive = now
    var account = self
    account.replace(device)
    return account
  }

  private mutating func replace(_ device: Device) {
    guard let index = devices.firstIndex(where: { $0.id == device.id }) else { return }
    devices[index] = device
  }
}
