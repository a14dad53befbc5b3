import Network
import Primitives

/// What calls and refreshes cost in Redis, by its own counters (INFO). What the cluster does all the time, leases and sweeps, is counted
/// alone over some seconds first, and taken off.
@LoopActor
struct TrafficRun {
  private static let rate = 50
  private let seconds: Int

  nonisolated init(_ options: Options) { seconds = options.seconds }

  private var calls: Int { Self.rate * seconds }

  func run() async throws {
    Report.heading(
      "Redis commands and bytes, \(calls) calls of each kind at \(Self.rate)/s over 3 nodes",
      again: "--seconds \(seconds) traffic")
    let bench = try await Bench.start(.cluster(3), accounts: 300, providers: 50)
    defer { bench.stop() }
    guard let redis = bench.servers.redis else { throw Trouble("there is no Redis") }
    let meter = try await TrafficMeter(redis)
    Report.line("always, each second (leases, sweeps, pings)", meter.idle.text(each: 1))

    let answered = AnsweredCalls(bench, count: calls, readsStatus: true) { .init(server: bench.anyNode(for: $0)) }
    Report.line("answered call (fetch, answer, status)", try await meter.text(each: calls) { await answered.run(perSecond: Self.rate) })
    let cancelled = CancelledCalls(bench, count: calls, first: calls)
    Report.line("cancelled call", try await meter.text(each: calls) { await cancelled.run(perSecond: Self.rate) })
    if answered.lost + cancelled.lost > 0 { Report.line("calls that failed", "\(answered.lost) answered, \(cancelled.lost) cancelled") }
    try await refreshes(bench, meter)
  }

  /// Accounts whose bindings are short.
  private func refreshes(_ bench: Bench, _ meter: TrafficMeter) async throws {
    bench.provider.granted = 10
    try await bench.grow(to: bench.fleet.members.count + 200)
    let before = bench.provider.registrations
    let cost = try await meter.cost { await Pace.pause(.seconds(12)) }
    let count = bench.provider.registrations - before
    Report.line("refresh of a registration (\(count) of them)", cost.text(each: count))
  }
}

/// Redis before and after.
@LoopActor
struct TrafficMeter {
  private let redis: Redis
  /// What it costs to read.
  private let reading: RedisReading
  /// In a second in which nothing happens.
  private(set) var idle: RedisReading

  init(_ redis: Redis) async throws {
    self.redis = redis
    // What a set-up leaves behind is over.
    await Pace.pause(.seconds(2))
    let before = try await redis.reading()
    reading = try await redis.reading() - before
    idle = reading
    let (used, seconds) = try await measure { await Pace.pause(.seconds(8)) }
    idle = used.times(1 / seconds)
  }

  func cost(_ body: @LoopActor () async -> Void) async throws -> RedisReading {
    let (used, seconds) = try await measure(body)
    return used - idle.times(seconds)
  }

  func text(each count: Int, _ body: @LoopActor () async -> Void) async throws -> String { try await cost(body).text(each: count) }

  private func measure(_ body: @LoopActor () async -> Void) async throws -> (RedisReading, Double) {
    let (start, before) = (Loop.now(), try await redis.reading())
    await body()
    return (try await redis.reading() - before - reading, (Loop.now() - start).seconds)
  }
}
