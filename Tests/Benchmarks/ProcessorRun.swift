import Foundation
import Network
import Primitives

/// Processor time of a call that is held and cancelled after two seconds, beside Kamailio with one UDP worker that does the same and
/// hands an event to an outside program for each call. sipp plays the same scenario to each of them, one after the other.
@LoopActor
struct ProcessorRun {
  private let rate: Int
  private let seconds: Int

  nonisolated init(_ options: Options) { (rate, seconds) = (options.rate ?? 500, options.seconds) }

  func run() async throws {
    Report.heading("Processor time per held and cancelled call, \(rate) calls/s for \(seconds) s")
    let peer = try await Peer.measure(rate, seconds)
    Report.line("Kamailio (100, 180, an event, 487)", peer.text)
    let whole = try await measure(.alone)
    Report.line("ringhold serve (with HPKE and push, of call and stop)", whole.text + whole.ratio(to: peer))
    let untold = try await measure(.untold)
    Report.line("the same without HPKE and push", untold.text + untold.ratio(to: peer))
  }

  /// As many accounts as are called within the time that one is busy, and some more.
  private func measure(_ layout: Layout) async throws -> Caller.Result {
    let bench = try await Bench.start(layout, accounts: rate * 5)
    defer { bench.stop() }
    let targets = bench.fleet.members.compactMap { bench.provider.registered[$0.user] }
    let caller = Caller(target: Workplace.server + ":5060", from: Workplace.provider, uris: targets)
    return try await caller.run(bench.servers.nodes[0].processID, rate, seconds)
  }
}

/// sipp, and what it cost the one it called.
struct Caller {
  let target: String
  let from: String
  let uris: [String]

  struct Result {
    let perCall: Duration
    let calls: Int
    let failed: Int

    var text: String { "\(Int(perCall.microseconds)) µs (\(calls) calls\(failed > 0 ? ", \(failed) failed" : ""))" }
    func ratio(to other: Result) -> String { ", \(Report.decimal(perCall / other.perCall, 2)) of Kamailio's" }
  }

  func run(_ processID: Int32, _ rate: Int, _ seconds: Int) async throws -> Result {
    let workplace = try Workplace()
    try workplace.write(Bytes((["SEQUENTIAL"] + uris).joined(separator: "\n").utf8), "uris")
    let count = rate * seconds
    let output = workplace.path("sipp.out")
    let meter = ProcessMeter(processID)
    let before = meter.cpu
    let sipp = try Program(
      Program.find("sipp"),
      [
        target, "-sf", Workplace.scenario("hold.xml"), "-inf", workplace.path("uris"), "-i", from, "-p", "5099", "-r", "\(rate)",
        "-m", "\(count)", "-l", "\(rate * 10)", "-nostdin", "-timeout", "\(seconds + 40)s",
      ], output: output)
    while sipp.isRunning { try await Task.sleep(for: .milliseconds(100)) }
    let used = meter.cpu - before
    let failed = Self.failed(try String(contentsOfFile: output, encoding: .utf8))
    return Result(perCall: used / count, calls: count, failed: failed)
  }

  /// From the last of sipp's tables: `Failed call | 0 | 12`.
  private static func failed(_ output: String) -> Int {
    let line = output.split(separator: "\n").last { $0.contains("Failed call") }
    return line?.split(separator: "|").last.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? -1
  }
}
