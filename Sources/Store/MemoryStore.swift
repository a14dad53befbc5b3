public import Primitives

/// The embedded store: everything in the memory of one node. What is over by `now` is as if it had never been.
public struct MemoryStore: Sendable, Discreet {
  private var entries: [AccountID: AccountEntry] = [:]
  private var owners: [DeviceID: AccountID] = [:]
  private var nonces: ExpiringMap<Void>
  private var replies: ExpiringMap<Bytes>
  private var lastVersion: UInt64 = 0
  private let limits: Limits

  public struct Limits: Sendable {
    public var accounts = 1_000_000
    public var devicesPerAccount = 64
    public var nonces = 4_000_000
    public var noncesPerDevice = 1024
    public var replies = 200_000
    public var repliesPerDevice = 64
    public var callsPerAccount = 8
    public var recordBytes = 262_144

    public init() {}
  }

  public init(limits: Limits = Limits()) {
    self.limits = limits
    nonces = ExpiringMap(limit: limits.nonces, limitPerDevice: limits.noncesPerDevice)
    replies = ExpiringMap(limit: limits.replies, limitPerDevice: limits.repliesPerDevice)
  }

  public var accountCount: Int { entries.count }

  public mutating func perform(_ command: StoreCommand, now: Instant) -> StoreReply {
    switch command {
    case .account(let id): .account(entries[id].map { .init(account: $0.account, version: $0.version) })
    case .accountOf(let device): .accountOf(owners[device])
    case .writeAccount(let account, let version): write(account, expecting: version)
    case .removeAccount(let id, let version): remove(id, expecting: version)
    case .useNonce(let device, let nonce, let until): use(nonce, of: device, until: until, now: now)
    case .claimHeld(let id, let call, let merge, let until):
      entries[id]?.claimHeld(call, merge: merge, until: until, now: now) ?? .noAccount
    case .releaseHeld(let id, let call): entries[id]?.releaseHeld(call, now: now) ?? .done
    case .claimLine(let id, let device, let line, let call):
      entries[id]?.claimLine(.init(device: device, line: line), for: call) ?? .noAccount
    case .releaseLine(let id, let device, let line, let call):
      entries[id]?.releaseLine(.init(device: device, line: line), of: call) ?? .done
    case .saveCall(let id, let call, let record): entries[id]?.save(record, of: call, limits) ?? .noAccount
    case .removeCall(let id, let call): entries[id]?.remove(call) ?? .done
    case .calls(let id): .calls(entries[id]?.calls ?? [])
    case .saveRegistration(let id, let record): entries[id]?.save(registration: record, limits) ?? .noAccount
    case .registration(let id): .record(entries[id]?.registration)
    case .recall(let device, let key): .record(replies.value(device, Array(key.utf8), now: now))
    case .remember(let device, let key, let reply, let until):
      remember(reply, under: Array(key.utf8), of: device, until: until, now: now)
    }
  }
}

extension MemoryStore {
  private mutating func write(_ account: Account, expecting version: Version?) -> StoreReply {
    guard entries[account.id]?.version == version else { return .conflict }
    guard version != nil || entries.count < limits.accounts, account.devices.count <= limits.devicesPerAccount else { return .full }
    if let stranger = account.devices.first(where: { owners[$0.id, default: account.id] != account.id }) {
      return .keyInUse(stranger.id)
    }
    for device in entries[account.id]?.account.devices ?? [] { owners[device.id] = nil }
    for device in account.devices { owners[device.id] = account.id }
    lastVersion += 1
    let written = Version(number: lastVersion)
    entries[account.id, default: AccountEntry(account: account, version: written)].replace(by: account, version: written)
    return .written(written)
  }

  private mutating func remove(_ id: AccountID, expecting version: Version) -> StoreReply {
    guard let entry = entries[id], entry.version == version else { return .conflict }
    for device in entry.account.devices { owners[device.id] = nil }
    entries[id] = nil
    return .done
  }

  private mutating func use(_ nonce: Bytes, of device: DeviceID, until: Instant, now: Instant) -> StoreReply {
    guard nonces.value(device, nonce, now: now) == nil else { return .replayed }
    return nonces.insert((), device, nonce, until: until, now: now) ? .fresh : .full
  }

  private mutating func remember(_ reply: Bytes, under key: Bytes, of device: DeviceID, until: Instant, now: Instant) -> StoreReply {
    guard replies.value(device, key, now: now) == nil else { return .done }
    guard reply.count <= limits.recordBytes else { return .full }
    return replies.insert(reply, device, key, until: until, now: now) ? .done : .full
  }
}
