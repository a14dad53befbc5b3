import Core
import Primitives
import Store

/// A node's way to the store.
extension World {
  mutating func ask(_ command: StoreCommand, _ question: StoreQuestion, at index: Int) {
    noteWord(command, of: index)
    let asked = nodes[index].store.command(command, question, now: now)
    if let wire = nodes[index].store.wire {
      nodes[index].store.underWay.append(asked)
      send(.command(command, asked.tag), over: wire, fromServer: false)
    } else {
      nodes[index].store.waiting.append(asked)
    }
    watchStore(index)
  }

  private mutating func watchStore(_ index: Int) {
    guard !nodes[index].store.isTimerSet, let due = nodes[index].store.nextDeadline else { return }
    nodes[index].store.isTimerSet = true
    queue.add(.nodeTimer(index, life: nodes[index].life, .store), at: max(due, now))
  }

  mutating func storeTimer(_ index: Int) {
    nodes[index].store.isTimerSet = false
    let isSilent = nodes[index].store.isSilent(now: now)
    fail(nodes[index].store.expire(now: now), at: index)
    if isSilent { loseStore(index) }
    watchStore(index)
  }

  mutating func replied(_ reply: StoreReply, _ tag: Int, at index: Int) {
    guard let question = nodes[index].store.answered(tag, now: now) else { return }
    take(question, reply, at: index)
  }

  private mutating func take(_ question: StoreQuestion, _ reply: StoreReply, at index: Int) {
    switch question {
    case .core(let question): feed(index) { $0.storeReplied(question, reply, now: $1) }
    case .accountOf(let visit): accountFound(visit, reply, at: index)
    case .account(let visit): deviceRead(visit, reply, at: index)
    case .nonce(let visit): nonceUsed(visit, reply, at: index)
    }
  }

  private mutating func fail(_ questions: [StoreQuestion], at index: Int) {
    for question in questions where nodes[index].isUp { take(question, .unavailable, at: index) }
  }

  // MARK: The connection

  mutating func loseStore(_ index: Int) {
    guard let wire = nodes[index].store.wire else { return }
    close(wire, atServer: false)
    storeEnded(index)
  }

  /// The connection is gone.
  mutating func storeEnded(_ index: Int) {
    story.tell(now, Party.node(index), "loses its connection to redis")
    feed(index) { $0.storeWent(now: $1) }
    fail(nodes[index].store.lose(), at: index)
    findStore(index, after: pauseForStore(index))
  }

  private mutating func pauseForStore(_ index: Int) -> Duration {
    let pause = nodes[index].store.pause
    nodes[index].store.pause = min(pause * 2, StoreLine.longestPause)
    return nodes[index].random.jittered(pause, share: 0.5)
  }

  /// Sentinel is asked, then the primary is called.
  mutating func findStore(_ index: Int, after pause: Duration) {
    nodes[index].store.attempt += 1
    let way = network.delay(.node(index), .redis) * 4
    let timer = NodeTimer.storeConnects(attempt: nodes[index].store.attempt)
    queue.add(.nodeTimer(index, life: nodes[index].life, timer), at: now + pause + way)
  }

  mutating func storeConnects(_ index: Int, attempt: Int) {
    guard nodes[index].store.attempt == attempt, nodes[index].store.wire == nil else { return }
    let isCut = network.isCut(.node(index), .redis)
    guard !isCut, let wire = connectToStore(index) else {
      return findStore(index, after: pauseForStore(index) + (isCut ? StoreLine.connecting : .zero))
    }
    nodes[index].store.wire = wire
    nodes[index].store.pause = StoreLine.firstPause
    nodes[index].store.lastReceived = now
    feed(index) { $0.storeCameBack(now: $1) }
    let waiting = nodes[index].store.waiting
    nodes[index].store.waiting = []
    for var command in waiting {
      command.sentAt = now
      nodes[index].store.underWay.append(command)
      send(.command(command.command, command.tag), over: wire, fromServer: false)
    }
    watchStore(index)
  }
}
