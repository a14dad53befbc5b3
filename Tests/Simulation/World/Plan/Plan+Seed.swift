import Primitives
import SIP

extension Plan {
  public enum Severity: Int, Sendable, CaseIterable { case none, mild, medium, severe }

  /// - Parameter severity: nil: from the seed too.
  public init(seed: UInt64, severity: Severity? = nil) {
    var dice = Dice(SeededRandom(seed: seed))
    self.seed = seed
    shape = Self.shape(&dice)
    calls = Self.calls(shape, &dice)
    faults = Self.faults(shape, severity ?? Self.severity(&dice), &dice)
    shape.calm = max(.seconds(20), faults.map(\.end).max() ?? .zero, (calls.last?.at ?? .zero) + .seconds(1))
    if dice.chance(8) { shape.loss = dice.number(1...80) }
  }

  private static func severity(_ dice: inout Dice) -> Severity {
    switch dice.number(0...99) {
    case ..<8: .none
    case ..<38: .mild
    case ..<75: .medium
    default: .severe
    }
  }

  private static func shape(_ dice: inout Dice) -> Shape {
    var shape = Shape()
    shape.nodes = dice.number(3...5) == 5 ? dice.number(4...5) : dice.number(2...3)
    if shape.nodes == 2, dice.chance(2) { shape.nodes = 3 }
    shape.providers = dice.number(1...2)
    shape.accounts = dice.number(2...5)
    shape.devices = (0..<shape.accounts).map { _ in dice.chance(3) ? dice.number(2...3) : dice.number(1...2) }
    shape.transport = dice.chance(4) ? .tcp : .udp
    shape.protection = .seconds(dice.number(20...40))
    shape.expires = [60, 120, 600][dice.number(0...2)]
    shape.acknowledgesToEach = !dice.chance(3)
    return shape
  }

  private static func calls(_ shape: Shape, _ dice: inout Dice) -> [PlannedCall] {
    let calls = (0..<dice.number(3...9)).map { _ in
      var call = PlannedCall(at: dice.duration(5...32), account: dice.number(0...(shape.accounts - 1)))
      if dice.chance(4) { call.patience = dice.duration(1...12) }
      if dice.chance(2) { call.callerTalks = dice.duration(1...30) }
      if dice.chance(4) { call.refreshesAfter = dice.duration(1...15) }
      if dice.chance(4) { call.asksAfter = dice.duration(1...15) }
      call.hasOffer = !dice.chance(6)
      call.hasTimer = dice.chance(5)
      call.isForked = dice.chance(8)
      return call
    }
    return calls.sorted { $0.at < $1.at }
  }

  private static func faults(_ shape: Shape, _ severity: Severity, _ dice: inout Dice) -> [PlannedFault] {
    let count = [0...0, 1...2, 2...4, 5...9][severity.rawValue]
    var faults = (0..<dice.number(count)).map { _ in fault(shape, severity, &dice) }.sorted { $0.at < $1.at }
    // What a dead node owned and nobody has claimed yet is in the store alone: when that is lost too, the set-up is gone.
    let losses = faults.compactMap { fault -> ClosedRange<Duration>? in
      guard case .empty(let down) = fault.fault else { return nil }
      return (fault.at - .seconds(20))...(fault.at + down + .seconds(10))
    }
    faults.removeAll { fault in fault.fault.endsProcess && losses.contains { $0.contains(fault.at) } }
    return faults
  }

  private static func fault(_ shape: Shape, _ severity: Severity, _ dice: inout Dice) -> PlannedFault {
    let node = dice.number(0...(shape.nodes - 1))
    let longest = severity == .severe ? 15 : 8
    let at = dice.duration(5...30)
    switch dice.number(0...99) {
    case ..<28: return PlannedFault(at: at, fault: .crash(node: node, isHostUp: !dice.chance(4), down: dice.duration(1...longest)))
    case ..<40: return PlannedFault(at: at, fault: .pause(node: node, dice.duration(0...12)))
    case ..<46: return PlannedFault(at: at, fault: .leave(node: node, down: dice.duration(3...longest)))
    case ..<66:
      let pair = cut(shape, node, &dice)
      return PlannedFault(at: at, fault: .cut(pair.0, pair.1, dice.duration(0...longest)))
    case ..<74:
      let pair = cut(shape, node, &dice)
      return PlannedFault(at: at, fault: .slow(pair.0, pair.1, by: dice.duration(0...2), dice.duration(1...longest)))
    case ..<86:
      let fault = Fault.failOver(lag: dice.duration(0...1), down: dice.duration(0...6), isSilent: dice.chance(3))
      return PlannedFault(at: at, fault: fault)
    case ..<92: return PlannedFault(at: at, fault: .empty(down: dice.duration(0...4)))
    default: return PlannedFault(at: at, fault: .reset(node: node))
    }
  }

  private static func cut(_ shape: Shape, _ node: Int, _ dice: inout Dice) -> (Party, Party) {
    let phones = shape.devices.reduce(0, +)
    switch dice.number(0...9) {
    case ..<3: return (.node(node), .node((node + dice.number(1...(shape.nodes - 1))) % shape.nodes))
    case ..<6: return (.node(node), .redis)
    case ..<8: return (.node(node), .provider(dice.number(0...(shape.providers - 1))))
    case 8: return (.node(node), .phone(dice.number(0...(phones - 1))))
    default: return (.node(node), .push)
    }
  }
}

extension PlannedFault {
  /// Since the beginning; a process that was begun anew needs a moment.
  var end: Duration {
    switch fault {
    case .crash(_, _, let down), .leave(_, let down): at + down + .seconds(1)
    case .pause(_, let time), .cut(_, _, let time), .slow(_, _, _, let time): at + time
    case .failOver(_, let down, _), .empty(let down): at + down
    case .reset: at
    }
  }
}

extension Fault {
  var endsProcess: Bool {
    switch self {
    case .crash, .leave: true
    default: false
    }
  }
}

/// Chance, in the words of a plan.
struct Dice {
  private var random: SeededRandom

  init(_ random: SeededRandom) { self.random = random }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

  /// Seconds, with a part.
  mutating func duration(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int64.random(in: Int64(range.lowerBound) * 1000...Int64(range.upperBound) * 1000, using: &random))
  }
}
