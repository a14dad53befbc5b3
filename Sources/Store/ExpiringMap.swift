import Primitives

/// Values under a key of a device, each until a moment. What is over goes at the next use, oldest first.
struct ExpiringMap<Value: Sendable>: Sendable {
  private struct Key: Hashable {
    let device: DeviceID
    let key: Bytes
  }

  private var entries: [Key: (value: Value, until: Instant)] = [:]
  private var counts: [DeviceID: Int] = [:]
  /// In the order of coming. Lifetimes are alike, so this is nearly the order of going; `first` is where it begins.
  private var order: [(key: Key, until: Instant)] = []
  private var first = 0

  let limit: Int
  let limitPerDevice: Int

  init(limit: Int, limitPerDevice: Int) {
    self.limit = limit
    self.limitPerDevice = limitPerDevice
  }

  func value(_ device: DeviceID, _ key: Bytes, now: Instant) -> Value? {
    guard let entry = entries[Key(device: device, key: key)], entry.until > now else { return nil }
    return entry.value
  }

  /// false where a limit is reached. The key must have no value now.
  mutating func insert(_ value: Value, _ device: DeviceID, _ key: Bytes, until: Instant, now: Instant) -> Bool {
    expire(now: now)
    guard entries.count < limit, counts[device, default: 0] < limitPerDevice else { return false }
    let key = Key(device: device, key: key)
    // An entry that is over may still stand behind one that lives longer.
    if entries.updateValue((value, until), forKey: key) == nil { counts[device, default: 0] += 1 }
    order.append((key, until))
    return true
  }

  private mutating func expire(now: Instant) {
    while first < order.count, order[first].until <= now {
      remove(order[first].key, now: now)
      first += 1
    }
    if first > 64, first * 2 > order.count {
      order.removeFirst(first)
      first = 0
    }
  }

  private mutating func remove(_ key: Key, now: Instant) {
    guard let entry = entries[key], entry.until <= now else { return }
    entries[key] = nil
    let left = counts[key.device, default: 1] - 1
    counts[key.device] = left > 0 ? left : nil
  }
}
