import Network

/// A phone that comes to a node that is not its call's home, beside one that comes to the home: in one run, one phone after the other.
@LoopActor
struct DistanceRun {
  private static let rate = 100
  private let seconds: Int

  nonisolated init(_ options: Options) { seconds = options.seconds }

  func run() async throws {
    Report.heading(
      "Fetch and answer through another node than the home, \(Self.rate) calls/s for \(seconds) s", again: "--seconds \(seconds) distance")
    let bench = try await Bench.start(.cluster(3), accounts: 300, providers: 50)
    defer { bench.stop() }
    let calls = AnsweredCalls(bench, count: Self.rate * seconds, kinds: 2) { member in
      let home = bench.home(of: member)
      return member % 2 == 0 ? .init(kind: 0, server: home) : .init(kind: 1, server: (home + 1 + member / 2 % 2) % 3)
    }
    await calls.run(perSecond: Self.rate)
    let (home, other) = (calls.times[0], calls.times[1])
    Report.times("INVITE sent → push request at the push service", home.push)
    Report.times("fetch through the home", home.fetch)
    Report.times("fetch through another node", other.fetch)
    Report.line("  ratio", other.fetch.ratio(to: home.fetch))
    Report.times("answer → 200 OK at the caller, through the home", home.answer)
    Report.times("answer → 200 OK at the caller, through another node", other.answer)
    Report.line("  ratio", other.answer.ratio(to: home.answer))
    if calls.lost > 0 { Report.line("calls that failed", "\(calls.lost)") }
  }
}
