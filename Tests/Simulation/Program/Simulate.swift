import Foundation
import Simulation

/// Runs simulated clusters, one after the other: `simulate COUNT [FROM]`. A seed that breaks a rule is printed with what it broke;
/// faults of one kind only: `simulate --only KIND COUNT [FROM]` (`none` for none at all). `simulate --story SEED` tells the whole story of one, `simulate --shrink SEED` the shortest that still breaks it.
@main enum Simulate {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--story": story(number(arguments, 1) ?? 0)
    case "--shrink": shrink(number(arguments, 1) ?? 0)
    case "--hash": hash(number(arguments, 1) ?? 0)
    case "--only":
      guard let count = number(arguments, 2) else { return usage() }
      exit(run(count, from: number(arguments, 3) ?? 0, only: arguments[1]) ? 0 : 1)
    default:
      guard let count = number(arguments, 0) else { return usage() }
      exit(run(count, from: number(arguments, 1) ?? 0) ? 0 : 1)
    }
  }

  private static func number(_ arguments: [String], _ index: Int) -> UInt64? {
    arguments.indices.contains(index) ? UInt64(arguments[index]) : nil
  }

  private static func usage() {
    print("usage: simulate [--only KIND] COUNT [FROM] | --story SEED | --shrink SEED | --hash SEED")
    exit(64)
  }

  private static func run(_ count: UInt64, from first: UInt64, only kind: String? = nil) -> Bool {
    let began = Date()
    var failures: UInt64 = 0
    for seed in first..<first + count {
      var plan = Plan(seed: seed)
      if let kind { plan.faults.removeAll { $0.fault.kind != kind } }
      var world = World(plan)
      let outcome = world.run()
      if !outcome.breaches.isEmpty {
        failures += 1
        print("FAILED \(seed): \(outcome.breaches.joined(separator: "; "))")
      }
      let done = seed - first + 1
      if done.isMultiple(of: 1000) { progress(done, count, failures, since: began) }
    }
    progress(count, count, failures, since: began)
    return failures == 0
  }

  private static func progress(_ done: UInt64, _ count: UInt64, _ failures: UInt64, since began: Date) {
    let milliseconds = -began.timeIntervalSinceNow * 1000 / Double(max(done, 1))
    print("\(done) of \(count), \(failures) failed, \(String(format: "%.1f", milliseconds)) ms each")
    fflush(nil)
  }

  private static func story(_ seed: UInt64) {
    var world = World(Plan(seed: seed), isWriting: true)
    let outcome = world.run()
    for line in outcome.story { print(line) }
    for breach in outcome.breaches { print("BROKEN \(breach)") }
    print("hash \(outcome.hash), \(outcome.steps) steps, \(outcome.lasted)")
  }

  private static func hash(_ seed: UInt64) {
    var world = World(Plan(seed: seed))
    print(world.run().hash)
  }

  private static func shrink(_ seed: UInt64) {
    let plan = Plan(seed: seed).shrunk()
    var world = World(plan, isWriting: true)
    let outcome = world.run()
    for line in outcome.story { print(line) }
    for breach in outcome.breaches { print("BROKEN \(breach)") }
    print("\(plan.faults.count) faults and \(plan.calls.count) calls are left")
  }
}
