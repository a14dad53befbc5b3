import Core
import Primitives

/// What breaks, and how it heals.
extension World {
  mutating func faultBegins(_ number: Int) {
    let planned = plan.faults[number]
    story.tell(now, "FAULT \(planned.fault)")
    switch planned.fault {
    case .crash(let node, let isHostUp, let down):
      kill(node, isHostUp: isHostUp)
      heal(number, after: down)
    case .pause(let node, let time):
      pause(node)
      heal(number, after: time)
    case .leave(let node, let down):
      feed(node) { $0.leave(now: $1) }
      heal(number, after: down)
    case .cut(let one, let other, let time):
      network.cut(one, other)
      heal(number, after: time)
    case .slow(let one, let other, let extra, let time):
      network.slow(one, other, by: extra)
      heal(number, after: time)
    case .failOver(_, let down, let isSilent):
      redisDies(isSilent: isSilent)
      queue.add(.redis(.primaryBack(isEmpty: false)), at: now + down)
    case .empty(let down):
      redisDies(isSilent: false)
      queue.add(.redis(.primaryBack(isEmpty: true)), at: now + down)
    case .reset(let node): redisForgets(node)
    }
  }

  private mutating func heal(_ number: Int, after pause: Duration) { queue.add(.faultEnds(number), at: now + pause) }

  mutating func faultEnds(_ number: Int) {
    switch plan.faults[number].fault {
    case .crash(let node, _, _): comeBack(node)
    case .leave(let node, _):
      // Whoever has not left by now is ended by its service manager.
      kill(node, isHostUp: true)
      comeBack(node)
    case .pause(let node, _): resume(node)
    case .cut(let one, let other, _): if network.heal(one, other) { healed(one, other) }
    case .slow(let one, let other, _, _): network.slow(one, other, by: nil)
    case .failOver, .empty, .reset: break
    }
  }

  private mutating func comeBack(_ node: Int) {
    if case .down = nodes[node].state { begin(node) }
  }
}
