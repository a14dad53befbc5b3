import Primitives
import Store

/// The one Redis that takes writes, and what its replica has: everything in memory.
struct RedisSide {
  var store = MemoryStore()
  /// Counts the primaries; nil: there is none now.
  var primary: Int? = 0
  var lastPrimary = 0
  /// What the replica had when it last heard of the primary.
  var replica: MemoryStore?
  /// Which primary a connection leads to.
  var connections: [Int: Int] = [:]
  /// Answers over these never arrive.
  var spoilt: Set<Int> = []
  /// What it took since then is lost, until those who live have said it again.
  var losses: [ClosedRange<Instant>] = []
  var replicaStoppedAt: Instant?
}

extension World {
  mutating func connectToStore(_ index: Int) -> Int? {
    guard let primary = redis.primary else { return nil }
    let wire = open(.node(index), .redis)
    redis.connections[wire] = primary
    return wire
  }

  mutating func redisGot(_ command: StoreCommand, _ tag: Int, over wire: Int) {
    guard redis.primary != nil, redis.connections[wire] == redis.primary else { return }
    let reply = redis.store.perform(command, now: now)
    ledger.stored(command, reply, now: now)
    if story.isWriting, let word = command.word {
      let what = word.call.map { name($0) } ?? word.account.map { name($0) } ?? "lease"
      story.tell(now, Party.redis, "\(what): \(word.text): \(reply.word)")
    }
    send(.reply(reply, tag), over: wire, fromServer: true)
  }

  // MARK: Faults

  mutating func redisDies(isSilent: Bool) {
    story.tell(now, Party.redis, "primary dies")
    redis.primary = nil
    for wire in redis.connections.keys.sorted() {
      redis.spoilt.insert(wire)
      if isSilent { wires[wire].close(atServer: true) } else { close(wire, atServer: true) }
    }
    redis.connections = [:]
  }

  mutating func take(_ step: RedisStep) {
    switch step {
    case .replicaStops:
      redis.replica = redis.store
      redis.replicaStoppedAt = now
    case .primaryBack(let isEmpty):
      story.tell(now, Party.redis, isEmpty ? "comes back empty" : "has another primary")
      if isEmpty { redis.store = MemoryStore() } else if let replica = redis.replica { redis.store = replica }
      let since = isEmpty ? start : redis.replicaStoppedAt ?? now
      redis.losses.append(since...(now + Self.sayingAgain))
      redis.replica = nil
      for node in nodes where node.state == .paused { forgetRinging(of: node.index, since: since) }
      redis.lastPrimary += 1
      redis.primary = redis.lastPrimary
    }
  }

  /// A node finds the new primary after a second at most, and says what it knows.
  private static let sayingAgain = Duration.seconds(3)

  /// Of a call that had its last turn after the replica had stopped, only its home knows; when that dies before it has said so again, nobody
  /// does: no machine can help that. The caller hears of it by the provider's own time limits.
  mutating func forgetCalls(of index: Int) {
    let lost = redis.primary == nil ? (redis.replicaStoppedAt ?? now) : redis.losses.last { $0.contains(now) }?.lowerBound
    // What it did without the store, only it knows.
    let isCut = nodes[index].store.wire == nil || network.isCut(.node(index), .redis)
    let unsaid = isCut ? nodes[index].store.lastReceived : nil
    guard let since = [lost, unsaid].compactMap(\.self).min() else { return }
    for number in legs.indices where legs[number].home == index && legs[number].turnAt >= since && legs[number].state != .waiting {
      legs[number].isForgotten = true
    }
  }

  /// Its home was stopped when the store lost it, and may not go on with it: somebody else may have had it and refused it meanwhile.
  private mutating func forgetRinging(of index: Int, since: Instant) {
    for number in legs.indices where legs[number].home == index && legs[number].turnAt >= since && legs[number].state == .calling {
      legs[number].isForgotten = true
    }
  }

  /// The connection of one node breaks: what was done for it, it does not hear of.
  mutating func redisForgets(_ index: Int) {
    guard let wire = nodes[index].store.wire else { return }
    redis.spoilt.insert(wire)
    close(wire, atServer: true)
  }
}
