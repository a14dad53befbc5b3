import Network
import Primitives

/// What an account and a held call take of the server's memory: resident bytes of its process before and after.
@LoopActor
struct MemoryRun {
  private let accounts: Int

  nonisolated init(_ options: Options) { accounts = options.accounts }

  func run() async throws {
    Report.heading("Memory at \(accounts) accounts (resident bytes of `ringhold serve`, divided)")
    let bench = try await Bench.start(accounts: accounts)
    defer { bench.stop() }
    Report.line("empty process", Self.kilobytes(bench.emptyBytes))
    Report.line("per registered account with one device", Self.kilobytes((bench.fullBytes - bench.emptyBytes) / accounts))
    let (held, bytes) = await hold(bench)
    Report.line("per held call, while \(held) ring (100, 180, pushed)", Self.kilobytes((bytes - bench.fullBytes) / max(held, 1)))
  }

  /// One call to each account, all ringing at once.
  private func hold(_ bench: Bench) async -> (held: Int, bytes: Int) {
    let calls = bench.targets.enumerated().map { PreparedCall($0, to: $1) }
    var ringing = 0
    bench.provider.onAnswer = { status, _, _ in if status == 180 { ringing += 1 } }
    await Pace.run(calls.count, perSecond: 500) { bench.provider.send(calls[$0].invite) }
    await Pace.pause(.seconds(2))
    let bytes = ProcessMeter(bench.server.processID).resident
    return (ringing, bytes)
  }

  private static func kilobytes(_ bytes: Int) -> String { Report.decimal(Double(bytes) / 1024) + " KiB" }
}
