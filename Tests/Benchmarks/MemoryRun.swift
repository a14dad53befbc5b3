import Network
import Primitives

/// What an account and a held call take of the server's memory: resident bytes of its process before and after.
@LoopActor
struct MemoryRun {
  private let accounts: Int

  nonisolated init(_ options: Options) { accounts = options.accounts ?? 10_000 }

  func run() async throws {
    Report.heading("Memory at \(accounts) accounts (resident bytes of `ringhold serve`, divided)")
    let bench = try await Bench.start()
    defer { bench.stop() }
    let empty = Self.resident(bench)
    try await bench.grow(to: accounts)
    let full = Self.resident(bench)
    Report.line("empty process", Self.kilobytes(empty))
    Report.line("per registered account with one device", Self.kilobytes((full - empty) / accounts))
    let held = await Ringing.everywhere(bench, perSecond: 500)
    Report.line("per held call, while \(held) ring (100, 180, pushed)", Self.kilobytes((Self.resident(bench) - full) / max(held, 1)))
  }

  private static func resident(_ bench: Bench) -> Int { ProcessMeter(bench.servers.nodes[0].processID).resident }

  private static func kilobytes(_ bytes: Int) -> String { Report.decimal(Double(bytes) / 1024) + " KiB" }
}

/// One call to each account, all at once.
@LoopActor
enum Ringing {
  /// How many ring then.
  static func everywhere(_ bench: Bench, perSecond rate: Int) async -> Int {
    let calls = bench.fleet.members.indices.map { bench.call($0, to: $0) }
    var ringing = 0
    bench.pushService.onPush = nil
    bench.provider.onAnswer = { status, _, _ in if status == 180 { ringing += 1 } }
    await Pace.run(calls.count, perSecond: rate) { bench.provider.ring(calls[$0]) }
    await Pace.pause(.seconds(2))
    return ringing
  }
}
