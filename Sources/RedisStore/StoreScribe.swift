import Primitives
import RESP
import Store

/// Writes the commands of the store down for Redis.
struct StoreScribe: Sendable {
  let seal: Seal
  let limits: RedisStoreLimits

  /// What becomes of a command.
  enum Plan {
    case ask(Question)
    /// Nothing has to be asked.
    case answer(StoreReply)
  }

  /// - Parameters:
  ///   - now: by the clock of the nodes.
  ///   - leaseOffset: what is added to the clock of Redis, for leases.
  ///   - known: what Redis need not be told once more.
  func plan(_ command: StoreCommand, now: Instant, leaseOffset: Duration, _ known: FixedParts) -> Plan {
    switch command {
    case .account(let id): .ask(account(id))
    case .accountOf(let device): .ask(accountOf(device))
    case .writeAccount(let account, let version, let fence): write(account, version, fence)
    case .removeAccount(let id, let version, let fence): .ask(remove(id, version, fence))
    case .useNonce(let device, let nonce, let until): .ask(useNonce(device, nonce, until, now))
    case .claimHeld(let id, let call, let merge, let until, let home): .ask(claimHeld(id, call, merge, until, home, now))
    case .releaseHeld(let id, let call, let home): .ask(onCall(Scripts.releaseHeld, id, call, home, [now.nowMilliseconds]))
    case .endHeld(let id, let call, let merge, let home):
      .ask(onCall(Scripts.endHeld, id, call, home, [merge.request, merge.branch, now.nowMilliseconds]))
    case .unclaimHeld(let id, let call, let isOver, let home):
      .ask(onCall(Scripts.unclaimHeld, id, call, home, [Bytes(text: isOver ? 1 : 0), now.nowMilliseconds]))
    case .claimLine(let id, let device, let line, let call, let home): .ask(onLine(Scripts.claimLine, id, device, line, call, home))
    case .releaseLine(let id, let device, let line, let call, let home): .ask(onLine(Scripts.releaseLine, id, device, line, call, home))
    case .saveCall(let id, let call, let record, let fixed, let home):
      saveCall(id, SavedCall(id: call, home: home, record: record), fixed: fixed, known)
    case .adoptCall(let id, let call, let from, let to): .ask(adopt(id, call, from, to))
    case .removeCall(let id, let call, let home): .ask(onCall(Scripts.removeCall, id, call, home, [now.nowMilliseconds]))
    case .calls(let id): .ask(calls(id))
    case .saveRegistration(let id, let record, let fence): saveRegistration(id, record, fence)
    case .registration(let id): .ask(registration(id))
    case .recall(let device, let key): .ask(recall(device, key, now))
    case .remember(let device, let key, let reply, let until): remember(device, key, reply, until, now)
    case .joinCluster(let node, let address, let last): .ask(join(node, address, after: last, leaseOffset))
    case .renewLease(let holder, let address): .ask(renew(holder, address, leaseOffset))
    case .buryLease(let holder, let pause): .ask(bury(holder, unrenewedFor: pause, leaseOffset))
    case .leaveCluster(let holder): .ask(leave(holder, leaseOffset))
    case .members: .ask(members(leaseOffset))
    case .claimOwner(let id, let holder, let epoch): .ask(claimOwner(id, holder, epoch))
    case .claimOwners(let accounts, let holder): .ask(claimOwners(accounts, holder))
    case .releaseOwner(let id, let fence):
      .ask(Question(Scripts.releaseOwner, id.key, [id.bytes, Bytes(text: fence.holder), Bytes(text: fence.epoch.number)]))
    case .accountsOwned(let holder, let last): .ask(listed(Layout.owned(holder), last))
    case .homesOf(let holder, let last): .ask(listed(Layout.homes(holder), last))
    case .strays(let asking): .ask(strays(asking, leaseOffset))
    case .whereabouts(let id): .ask(Question(Scripts.whereabouts, id.key, []) { Whereabouts.read($0) })
    case .restore(let snapshot, let fence): restore(snapshot, fence)
    }
  }
}

/// What Redis is allowed to hold; how much in all is its `maxmemory`.
public struct RedisStoreLimits: Sendable {
  public var devicesPerAccount = 64
  public var noncesPerDevice = 1024
  public var repliesPerDevice = 64
  public var callsPerAccount = 64
  public var recordBytes = 262_144
  public var nodes = 1024

  public init() {}
}

extension AccountID {
  var key: Bytes { Layout.account(description) }
}
