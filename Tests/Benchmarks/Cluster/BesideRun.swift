import Network
import Primitives

/// Three nodes over a Redis beside one node with its store inside, on the same machine with the same calls. The stand-ins take their
/// share of the processors too, so what a call costs in processor time says more than how many calls a second fit.
@LoopActor
struct BesideRun {
  private static let accounts = 2000
  private let rate: Int
  private let seconds: Int

  nonisolated init(_ options: Options) { (rate, seconds) = (options.rate ?? 100, options.seconds) }

  func run() async throws {
    Report.heading(
      "Three nodes beside one: processor time of a call at \(rate) calls/s for \(seconds) s, and calls/s that fit on the machine",
      again: "--rate \(rate) --seconds \(seconds) beside")
    let one = try await measure(.alone, "one node")
    let three = try await measure(.cluster(3), "three nodes")
    for (number, kind) in CallLoad.Kind.allCases.enumerated() {
      let ratio = three[number] / max(one[number], .nanoseconds(1))
      Report.line("\(kind.rawValue) call, three nodes and Redis to one", "× " + Report.decimal(ratio, 2))
    }
  }

  /// What a call of each kind takes, Redis included.
  private func measure(_ layout: Layout, _ name: String) async throws -> [Duration] {
    let bench = try await Bench.start(layout, accounts: Self.accounts, providers: 50)
    defer { bench.stop() }
    let load = CallLoad(bench)
    let idle = await ProcessorUse.of(bench) { await Pace.pause(.seconds(4)) }.each(second: 4)
    Report.line("\(name), without calls, each second", idle.text)
    var used: [Duration] = []
    for kind in CallLoad.Kind.allCases {
      let use = await cost(of: kind, load, bench, idle)
      Report.line("\(name), \(kind.rawValue) call", use.text)
      used.append(use.total)
      Report.line("\(name), \(kind.rawValue) calls/s with a p99 below \(CallLoad.longest.milliseconds) ms", await load.most(kind))
    }
    return used
  }

  private func cost(of kind: CallLoad.Kind, _ load: CallLoad, _ bench: Bench, _ idle: ProcessorUse) async -> ProcessorUse {
    let start = Loop.now()
    var outcome = CallLoad.Outcome()
    let used = await ProcessorUse.of(bench) { outcome = await load.run(kind, rate, seconds) }
    if outcome.lost > 0 { Report.line("calls that failed", "\(outcome.lost) of \(outcome.calls)") }
    return used.without(idle, times: (Loop.now() - start).seconds, each: outcome.calls)
  }
}

/// Of the nodes together, and of Redis.
@LoopActor
struct ProcessorUse {
  let nodes: Duration
  let redis: Duration

  var total: Duration { nodes + redis }

  static func of(_ bench: Bench, _ body: @LoopActor () async -> Void) async -> ProcessorUse {
    let before = now(bench)
    await body()
    let after = now(bench)
    return ProcessorUse(nodes: after.nodes - before.nodes, redis: after.redis - before.redis)
  }

  private static func now(_ bench: Bench) -> ProcessorUse {
    ProcessorUse(nodes: bench.servers.cpu, redis: bench.servers.redis?.cpu ?? .zero)
  }

  func each(second count: Int) -> ProcessorUse { ProcessorUse(nodes: nodes / count, redis: redis / count) }

  func without(_ idle: ProcessorUse, times seconds: Double, each count: Int) -> ProcessorUse {
    ProcessorUse(nodes: (nodes - idle.nodes * seconds) / count, redis: (redis - idle.redis * seconds) / count)
  }

  var text: String { Report.short(nodes) + (redis == .zero ? "" : ", and Redis " + Report.short(redis)) }
}
