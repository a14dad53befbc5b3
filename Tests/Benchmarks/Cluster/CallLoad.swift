import Network

/// Calls of one kind at one rate, one run after the other on the same accounts.
@LoopActor
final class CallLoad {
  enum Kind: String, CaseIterable {
    case cancelled, answered
  }

  struct Outcome {
    var calls = 0
    /// Of those that did not get as far as their end.
    var lost = 0
    /// INVITE → 180; or fetch → 200 OK.
    var latency = Sample()
  }

  static let longest = Duration.milliseconds(100)
  private static let mostSteps = 6
  private static let stepSeconds = 4

  private let bench: Bench
  private var next = 0

  init(_ bench: Bench) { self.bench = bench }

  func run(_ kind: Kind, _ rate: Int, _ seconds: Int) async -> Outcome {
    let (first, count) = (next, rate * seconds)
    next += count
    switch kind {
    case .cancelled:
      let calls = CancelledCalls(bench, count: count, first: first)
      await calls.run(perSecond: rate)
      return Outcome(calls: count, lost: calls.lost, latency: calls.ring)
    case .answered:
      let calls = AnsweredCalls(bench, count: count, first: first, readsStatus: true) { .init(server: self.bench.anyNode(for: $0)) }
      await calls.run(perSecond: rate)
      return Outcome(calls: count, lost: calls.lost, latency: calls.times[0].whole)
    }
  }

  /// Half as many again, until calls are late or lost.
  func most(_ kind: Kind) async -> String {
    var (kept, rate) = (0, 150)
    for _ in 0..<Self.mostSteps {
      let outcome = await run(kind, rate, Self.stepSeconds)
      let late = outcome.latency.quantile(0.99)
      guard outcome.lost == 0, late < Self.longest else {
        return "\(kept) (at \(rate): p99 \(Int(late.milliseconds)) ms, \(outcome.lost) of \(outcome.calls) lost)"
      }
      (kept, rate) = (rate, rate * 3 / 2)
    }
    return "\(kept) or more"
  }
}
