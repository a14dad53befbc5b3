import Network

/// What an account and its held call take of Redis' memory: `used_memory` before and after.
@LoopActor
struct FootprintRun {
  private let sizes: [Int]

  nonisolated init(_ options: Options) { sizes = options.accounts.map { [$0] } ?? [1000, 10_000] }

  func run() async throws {
    let again = sizes.count == 1 ? "--accounts \(sizes[0]) footprint" : "footprint"
    Report.heading("Memory in Redis (used_memory, divided; with what a set-up leaves for some minutes: a nonce)", again: again)
    let bench = try await Bench.start(.cluster(3), providers: 50)
    defer { bench.stop() }
    let empty = try await memory(bench)
    Report.line("without an account", Self.kilobytes(empty))
    var last = empty
    for size in sizes {
      try await bench.grow(to: size)
      last = try await memory(bench)
      Report.line("per registered account with one device, at \(size)", Self.kilobytes((last - empty) / Double(size)))
    }
    let held = await Ringing.everywhere(bench, perSecond: 400)
    Report.line("per held call, while \(held) ring", Self.kilobytes((try await memory(bench) - last) / Double(max(held, 1))))
  }

  private func memory(_ bench: Bench) async throws -> Double { try await bench.servers.redis?.reading().memory ?? 0 }

  private static func kilobytes(_ bytes: Double) -> String { Report.decimal(bytes / 1024, 2) + " KiB" }
}
