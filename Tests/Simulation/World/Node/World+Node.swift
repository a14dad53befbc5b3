import Core
import Primitives
import SIP

/// Processes: they begin, wait, are stopped, go on, end.
extension World {
  /// Something happens to a node, and what follows is done: in its order, also what the doing causes.
  mutating func feed(_ index: Int, _ happen: (inout NodeCore, Instant) -> [NodeCore.Action]) {
    guard nodes[index].isUp else { return }
    nodes[index].queue += nodes[index].core.checkLease(now: now) + happen(&nodes[index].core, now)
    guard !nodes[index].isPerforming else { return }
    nodes[index].isPerforming = true
    var next = 0
    while next < nodes[index].queue.count {
      perform(nodes[index].queue[next], at: index)
      next += 1
    }
    nodes[index].queue.removeAll(keepingCapacity: true)
    nodes[index].isPerforming = false
    arm(index)
  }

  mutating func arm(_ index: Int) {
    let node = nodes[index]
    guard let due = node.nextDeadline else { return }
    if let armed = node.armed, armed <= due { return }
    node.armed = due
    queue.add(.nodeWakes(index, life: node.life), at: max(due, now))
  }

  mutating func wake(_ index: Int, life: Int) {
    guard nodes[index].life == life, nodes[index].isUp else { return }
    if let armed = nodes[index].armed, armed <= now { nodes[index].armed = nil }
    if let due = nodes[index].layerWake, due <= now {
      nodes[index].layerWake = nil
      performUnasked(nodes[index].layer.deadlineReached(now: now), at: index)
    }
    if let due = nodes[index].core.nextDeadline, due <= now { feed(index) { $0.deadlineReached(now: $1) } }
    arm(index)
  }

  // MARK: Life and death

  mutating func begin(_ index: Int) {
    nodes[index] = nodes[index].next(settings: settings(of: index), now: now)
    story.tell(now, Party.node(index), "begins, life \(nodes[index].life)")
    findStore(index, after: .zero)
    feed(index) { $0.start(now: $1) }
  }

  mutating func kill(_ index: Int, isHostUp: Bool) {
    guard nodes[index].isUp || nodes[index].state == .paused else { return }
    story.tell(now, Party.node(index), isHostUp ? "is killed" : "and its host are gone")
    noteSetUps(of: index)
    forgetWhatNobodyHears(of: index)
    let life = nodes[index].life
    nodes[index].state = .down(isHostUp: isHostUp)
    nodes[index].backlog = []
    closeWires(of: .node(index), life: life, isHostUp: isHostUp)
    dropPushes(of: index, life: life)
    forgetWhatNobodyKnows()
  }

  mutating func pause(_ index: Int) {
    guard nodes[index].isUp else { return }
    story.tell(now, Party.node(index), "is stopped")
    nodes[index].state = .paused
  }

  /// Timers first, as a loop over sockets does; now and then in the order in which it came.
  mutating func resume(_ index: Int) {
    guard nodes[index].state == .paused else { return }
    story.tell(now, Party.node(index), "goes on")
    nodes[index].state = .up
    let backlog = nodes[index].backlog
    nodes[index].backlog = []
    let isInOrder = Int.random(in: 0..<4, using: &random) == 0
    let ordered = isInOrder ? backlog : backlog.filter(\.isTimer) + backlog.filter { !$0.isTimer }
    for event in ordered { take(event) }
    arm(index)
  }

  /// It has handed over what it had.
  mutating func left(_ index: Int) {
    story.tell(now, Party.node(index), "has left")
    kill(index, isHostUp: true)
  }
}

extension Happening {
  fileprivate var isTimer: Bool {
    switch self {
    case .nodeWakes, .nodeTimer: true
    default: false
    }
  }

  /// Which node's process takes it.
  func process(_ wires: [Wire]) -> Int? {
    switch self {
    case .nodeWakes(let index, _), .nodeTimer(let index, _, _), .datagram(_, .node(let index), _): return index
    case .parcel(let wire, let atServer, _):
      if case .node(let index) = wires[wire].party(atServer: atServer) { return index }
      return nil
    default: return nil
    }
  }
}
