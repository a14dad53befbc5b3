import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

/// Events at random among nodes over one store: they die, are stopped, come back, hand over, and do not hear what the store has done.
struct ClusterStory {
  var story: Story
  private var random: SeededRandom
  private let names: [String]

  init(seed: UInt64, isWriting: Bool = false) {
    random = SeededRandom(seed: seed ^ 0x5EED)
    let count = Int.random(in: 2...3, using: &random)
    names = (1...count).map { "n\($0)" }
    var stage = Stage(nodes: count, answeredCalls: Int.random(in: 1...2, using: &random), seed: seed)
    (stage.isWriting, stage.isTelling) = (isWriting, isWriting)
    story = Story(seed: seed, stage: stage)
  }

  mutating func play(steps: Int) throws -> [String] {
    var events = self
    let breaches = try story.play(steps: steps) { events.happen(&$0) }
    random = events.random
    return breaches
  }

  private mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }
  private mutating func name() -> String { names.randomElement(using: &random) ?? "n1" }

  private mutating func happen(_ stage: inout Stage) {
    if chance(3) { stage.at(name()) }
    guard chance(5) else { return }
    let name = name()
    switch Int.random(in: 0..<12, using: &random) {
    case ..<3: kill(name, &stage)
    case ..<5: takeOver(name, &stage)
    case 5: if stage.canSpare(name) { stage.pause(name) }
    case 6: if stage.pausedNodes.contains(name) { if stage.isForgotten { stage.kill(name) } else { stage.goOn(name) } }
    case 7: if !stage.nodes.contains(name) { stage.revive(name, seed: random.next()) }
    case 8: stage.handOver(Stage.account, from: name)
    case 9: lose(&stage)
    case 10:
      stage.storeFate = .replies
      stage.tell("store replies")
    default: stage.at(name) { $0.perform($0.board.reassert(now: $0.now)) }
    }
  }

  private mutating func kill(_ name: String, _ stage: inout Stage) {
    // What the store has not heard yet dies with a node.
    guard stage.canSpare(name), stage.owesNothing else { return }
    stage.kill(name)
    if chance(2) { takeOver(self.name(), &stage) }
  }

  private mutating func takeOver(_ name: String, _ stage: inout Stage) {
    if stage.isServing(name) { stage.takeOver(by: name) }
  }

  private mutating func lose(_ stage: inout Stage) {
    let kinds = ["claim-held", "claim-line", "save-call", "adopt-call", "write-account", "remove-call", "release-line", "claim-owner"]
    let kind = chance(3) ? nil : kinds.randomElement(using: &random)
    let fate: Stage.StoreFate = chance(3) ? .isAway(kind) : .losesReply(kind)
    stage.storeFate = fate
    stage.tell("store \(fate)")
  }
}
