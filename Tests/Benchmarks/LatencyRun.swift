import Network

/// How long a call takes through the server, at 100 calls a second. Measured at its peers, so both ways over the loopback and what
/// the peers themselves take (the phone signs, the push service decrypts) are in it.
@LoopActor
struct LatencyRun {
  private static let rate = 100
  private let seconds: Int

  nonisolated init(_ options: Options) { seconds = options.seconds }

  func run() async throws {
    Report.heading("Latency at \(Self.rate) calls/s, seen from the stand-ins (each call: INVITE, push, fetch, answer, 200, ACK, BYE)")
    let bench = try await Bench.start(accounts: 300)
    defer { bench.stop() }
    let calls = AnsweredCalls(bench, count: Self.rate * seconds)
    await calls.run(perSecond: Self.rate)
    let times = calls.times[0]
    Report.times("INVITE sent → push request decrypted at the push service", times.push)
    Report.times("fetch given to the phone's connection → its reply", times.fetch)
    Report.times("answer given to the phone's connection → 200 OK at the caller", times.answer)
    Report.times("fetch given → 200 OK at the caller (fetch, reply, answer, 200)", times.whole)
    if calls.failures > 0 { Report.line("calls that failed", "\(calls.failures)") }
  }
}
