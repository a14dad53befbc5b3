public import Primitives

/// The embedded store: everything in the memory of one node. What is over by `now` is as if it had never been.
public struct MemoryStore: Sendable, Discreet {
  private var entries: [AccountID: AccountEntry] = [:]
  private var accountOfDevice: [DeviceID: AccountID] = [:]
  private var nonces: ExpiringMap<Void>
  private var replies: ExpiringMap<Bytes>
  private var membership = Membership()
  private var lastVersion: UInt64 = 0
  private let limits: Limits

  public struct Limits: Sendable {
    public var accounts = 1_000_000
    public var devicesPerAccount = 64
    public var nonces = 4_000_000
    public var noncesPerDevice = 1024
    public var replies = 200_000
    public var repliesPerDevice = 64
    public var callsPerAccount = 64
    public var recordBytes = 262_144
    /// Names that ever joined.
    public var nodes = 1024

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
    case .accountOf(let device): .accountOf(accountOfDevice[device])
    case .writeAccount(let account, let version, let fence): write(account, expecting: version, by: fence)
    case .removeAccount(let id, let version, let fence): remove(id, expecting: version, by: fence)
    case .useNonce(let device, let nonce, let until): use(nonce, of: device, until: until, now: now)
    case .claimHeld(let id, let call, let merge, let until, let home):
      entries[id]?.claimHeld(.init(call: call, merge: merge, until: until, home: home), isDead: membership.isDead, now: now)
        ?? .noAccount
    case .releaseHeld(let id, let call, let home): entries[id]?.releaseHeld(call, home: home, now: now) ?? .done
    case .endHeld(let id, let call, let merge, let home): entries[id]?.endHeld(call, merge: merge, home: home, now: now) ?? .noAccount
    case .unclaimHeld(let id, let call, let isOver, let home):
      entries[id]?.unclaimHeld(call, isOver: isOver, home: home, now: now) ?? .done
    case .claimLine(let id, let device, let line, let call, let home):
      entries[id]?.claim(.init(device: device, number: line), for: call, home: home) ?? .noAccount
    case .releaseLine(let id, let device, let line, let call, let home):
      entries[id]?.release(.init(device: device, number: line), of: call, home: home) ?? .done
    case .saveCall(let id, let call, let record, _, let home):
      entries[id]?.save(SavedCall(id: call, home: home, record: record), limits) ?? .noAccount
    case .adoptCall(let id, let call, let from, let to):
      entries[id]?.adopt(call, from: from, to: to, isDead: membership.isDead(from)) ?? .noAccount
    case .removeCall(let id, let call, let home): entries[id]?.remove(call, home: home, now: now) ?? .done
    case .calls(let id): .calls(entries[id]?.calls ?? [])
    case .saveRegistration(let id, let record, let fence): entries[id]?.save(registration: record, by: fence, limits) ?? .noAccount
    case .registration(let id): .record(entries[id]?.registration)
    case .recall(let device, let key): .record(replies.value(device, Array(key.utf8), now: now))
    case .remember(let device, let key, let reply, let until):
      remember(reply, under: Array(key.utf8), of: device, until: until, now: now)
    case .joinCluster(let node, let address, let last): membership.join(node, address, after: last, limit: limits.nodes, now: now)
    case .renewLease(let holder, let address): membership.renew(holder, address, limit: limits.nodes, now: now)
    case .buryLease(let holder, let pause): membership.bury(holder, unrenewedFor: pause, now: now)
    case .leaveCluster(let holder): leave(holder, now: now)
    case .members: .members(membership.members(now: now))
    case .claimOwner(let id, let holder, let epoch): claim(id, holder, expecting: epoch, now: now)
    case .claimOwners(let accounts, let holder):
      .claims(accounts.prefix(StoreCommand.claimsAtOnce).map { claim($0.id, holder, expecting: $0.epoch, now: now) })
    case .releaseOwner(let id, let fence): entries[id]?.ownership.release(fence) ?? .done
    case .accountsOwned(let holder, let last): accounts(after: last) { $0.ownership.holder == holder }
    case .homesOf(let holder, let last): accounts(after: last) { $0.homes.contains(holder) }
    case .strays(let asking): .strays(strays(asking, now: now))
    case .whereabouts(let id): entries[id].map { .whereabouts($0.whereabouts) } ?? .noAccount
    case .restore(let snapshot, let fence): restore(snapshot, by: fence)
    }
  }
}

/// Accounts.
extension MemoryStore {
  private mutating func write(_ account: Account, expecting version: Version?, by fence: Fence?) -> StoreReply {
    if let entry = entries[account.id] {
      if let fence { guard entry.ownership.admits(fence) else { return .fenced } }
      guard entry.version == version else { return .conflict }
      guard fence != nil else { return .fenced }
    } else {
      guard version == nil else { return .conflict }
      guard entries.count < limits.accounts else { return .full }
    }
    guard account.devices.count <= limits.devicesPerAccount else { return .full }
    if let stranger = account.devices.first(where: { accountOfDevice[$0.id, default: account.id] != account.id }) {
      return .keyInUse(stranger.id)
    }
    lastVersion += 1
    let written = Version(number: lastVersion)
    index(account)
    entries[account.id, default: AccountEntry(account: account, version: written)].replace(by: account, version: written)
    if let fence { _ = entries[account.id]?.ownership.admit(fence) }
    return .written(written)
  }

  private mutating func remove(_ id: AccountID, expecting version: Version, by fence: Fence) -> StoreReply {
    guard let entry = entries[id] else { return .conflict }
    guard entry.ownership.admits(fence) else { return .fenced }
    guard entry.version == version else { return .conflict }
    for device in entry.account.devices where accountOfDevice[device.id] == id { accountOfDevice[device.id] = nil }
    entries[id] = nil
    return .done
  }

  private mutating func restore(_ snapshot: Snapshot, by fence: Fence) -> StoreReply {
    let account = snapshot.account
    let known = entries[account.id]?.ownership
    guard known?.admits(fence) ?? true else { return .fenced }
    guard known != nil || entries.count < limits.accounts, account.devices.count <= limits.devicesPerAccount else {
      return .full
    }
    index(account)
    var entry = entries[account.id] ?? AccountEntry(account: account, version: snapshot.version)
    _ = entry.ownership.admit(fence)
    entry.restore(snapshot, limits)
    entries[account.id] = entry
    lastVersion = max(lastVersion, snapshot.version.number)
    return known.map { $0.fence == fence ? .done : .granted } ?? .fresh
  }

  /// A device that belongs to another account by now stays there.
  private mutating func index(_ account: Account) {
    for device in entries[account.id]?.account.devices ?? [] where accountOfDevice[device.id] == account.id {
      accountOfDevice[device.id] = nil
    }
    for device in account.devices where accountOfDevice[device.id] == nil { accountOfDevice[device.id] = account.id }
  }
}

/// Owners.
extension MemoryStore {
  private mutating func leave(_ holder: Holder, now: Instant) -> StoreReply {
    _ = membership.bury(holder, unrenewedFor: .zero, now: now)
    return .done
  }

  private mutating func claim(_ id: AccountID, _ holder: Holder, expecting: Epoch?, now: Instant) -> StoreReply {
    guard var entry = entries[id] else { return .noAccount }
    let isFree = entry.ownership.holder.map { membership.isDead($0) } ?? true
    if let epoch = entry.ownership.claim(holder, expecting: expecting, ownerIsDead: isFree, now: now) {
      entries[id] = entry
      return .owned(epoch, entry.snapshot)
    }
    return entry.ownership.fence.map { .ownedBy($0) } ?? .noAccount
  }

  private func strays(_ asking: Holder, now: Instant) -> Strays {
    let owners = Set(entries.values.compactMap(\.ownership.holder))
    let holders = entries.values.reduce(into: owners) { $0.formUnion($1.homes) }.sorted()
    let silent = holders.filter { !membership.isDead($0) && !membership.hasLease($0, now: now) }
    return Strays(
      unowned: entries.values.count { $0.ownership.holder == nil }, owned: entries.values.count { $0.ownership.holder == asking },
      dead: Array(holders.filter { membership.isDead($0) }.prefix(Strays.most)), silent: Array(silent.prefix(Strays.most)))
  }

  private func accounts(after last: AccountID?, _ isListed: (AccountEntry) -> Bool) -> StoreReply {
    let found = entries.filter { id, entry in last.map { $0 < id } ?? true && isListed(entry) }
    let page = found.sorted { $0.key < $1.key }.prefix(StoreCommand.pageSize)
    let listed = page.map { StoreReply.ListedAccount(id: $0.key, epoch: $0.value.ownership.epoch) }
    return .accounts(listed, next: found.count > page.count ? listed.last?.id : nil)
  }
}

/// Of the devices.
extension MemoryStore {
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
