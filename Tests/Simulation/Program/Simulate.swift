import Foundation
import Simulation

/// Runs simulated clusters, one after the other. A seed that breaks a rule is printed with what it broke.
@main enum Simulate {
  static let usage = """
    usage: simulate [--only KIND] COUNT [FROM]      runs the seeds from FROM on
           simulate [--only KIND] --story SEED      tells what happens
           simulate [--only KIND] --shrink SEED     the same with as few faults and calls as still break the rule
           simulate [--only KIND] --hash SEED       a number that two runs of one seed have in common
    --only: faults of one kind: crash pause leave cut slow fail-over empty reset; none for none
    """

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    var kind: String?
    if words.first == "--only", words.count > 2 {
      kind = words[1]
      words.removeFirst(2)
    }
    let numbers = words.compactMap { UInt64($0) }
    switch (words.first, numbers.first) {
    case ("--story", let seed?): tell(plan(seed, kind))
    case ("--shrink", let seed?): tell(plan(seed, kind).shrunk())
    case ("--hash", let seed?): print(outcome(plan(seed, kind)).hash)
    case (_, let count?): exit(run(count, from: numbers.count > 1 ? numbers[1] : 0, kind) ? 0 : 1)
    default:
      print(usage)
      exit(64)
    }
  }

  private static func plan(_ seed: UInt64, _ kind: String?) -> Plan {
    var plan = Plan(seed: seed)
    if let kind { plan.faults.removeAll { $0.fault.kind != kind } }
    return plan
  }

  private static func outcome(_ plan: Plan, isWriting: Bool = false) -> Outcome {
    var world = World(plan, isWriting: isWriting)
    return world.run()
  }

  private static func run(_ count: UInt64, from first: UInt64, _ kind: String?) -> Bool {
    let began = Date()
    var failures: UInt64 = 0
    var (calls, forgotten, setUps) = (0, 0, 0)
    for seed in first..<first + count {
      let outcome = outcome(plan(seed, kind))
      if !outcome.breaches.isEmpty {
        failures += 1
        print("FAILED \(seed): \(outcome.breaches.joined(separator: "; "))")
        fflush(nil)
      }
      (calls, forgotten, setUps) = (calls + outcome.calls, forgotten + outcome.forgotten, setUps + outcome.setUpsLost)
      let done = seed - first + 1
      if done.isMultiple(of: 1000) || done == count { progress(done, count, failures, since: began) }
    }
    print("\(calls) calls offered; known to nobody as they were, or their last word unheard: \(forgotten) calls, \(setUps) set-ups")
    return failures == 0
  }

  private static func progress(_ done: UInt64, _ count: UInt64, _ failures: UInt64, since began: Date) {
    let milliseconds = -began.timeIntervalSinceNow * 1000 / Double(max(done, 1))
    print("\(done) of \(count), \(failures) failed, \(String(format: "%.1f", milliseconds)) ms each")
    fflush(nil)
  }

  private static func tell(_ plan: Plan) {
    let outcome = outcome(plan, isWriting: true)
    for line in outcome.story { print(line) }
    for breach in outcome.breaches { print("BROKEN \(breach)") }
    print("hash \(outcome.hash), \(outcome.steps) steps, \(outcome.lasted), \(plan.faults.count) faults, \(plan.calls.count) calls")
  }
}
