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
    if case (.adoptCall(_, let call, _, let holder), .adopted(let record)) = (command, reply) { noteAdoption(call, record, to: holder) }
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
    case .replicaStops: redis.replica = redis.store
    case .primaryBack(let isEmpty):
      story.tell(now, Party.redis, isEmpty ? "comes back empty" : "has another primary")
      if isEmpty { redis.store = MemoryStore() } else if let replica = redis.replica { redis.store = replica }
      redis.replica = nil
      redis.lastPrimary += 1
      redis.primary = redis.lastPrimary
      forgetWhatNobodyKnows()
    }
  }

  /// The connection of one node breaks: what was done for it, it does not hear of.
  mutating func redisForgets(_ index: Int) {
    guard let wire = nodes[index].store.wire else { return }
    redis.spoilt.insert(wire)
    close(wire, atServer: true)
  }
}
