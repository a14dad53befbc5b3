import Network

/// How long after `kill -9` of a node the others have what it had: calls to its accounts ring again, its ringing calls can be fetched,
/// its answered calls say how they are. A node sends one provider 50 REGISTERs a second after a burst of 50, so it matters how many
/// providers the accounts are spread over.
@LoopActor
struct TakeoverRun {
  private let options: Options
  private static let nodes = 3

  nonisolated init(_ options: Options) { self.options = options }

  func run() async throws {
    for accounts in options.accounts.map({ [$0] }) ?? [100, 1000, 10_000] {
      for providers in options.providers.map({ [$0] }) ?? [1, 50] { try await measure(accounts, providers) }
    }
  }

  private func measure(_ accounts: Int, _ providers: Int) async throws {
    Report.heading(
      "Takeover after kill -9 of one of \(Self.nodes) nodes: \(accounts) accounts, \(providers) provider\(providers == 1 ? "" : "s")",
      again: "--accounts \(accounts) --providers \(providers) takeover")
    let bench = try await Bench.start(.cluster(Self.nodes), accounts: accounts, providers: providers)
    defer { bench.stop() }
    let takeover = Takeover(bench)
    try await takeover.prepare()
    await takeover.kill(patience: .seconds(60 + accounts / providers / 50))
    report(takeover)
  }

  private func report(_ takeover: Takeover) {
    Report.line("accounts of the killed node", "\(takeover.moved.count), of them \(takeover.calls) with a call")
    Report.spread("kill → REGISTER of another node accepted", takeover.registered)
    Report.spread("kill → a call to the account gets 180", takeover.rang)
    Report.spread("kill → a ringing call can be fetched at another node", takeover.fetched)
    Report.spread("kill → status of an answered call at another node", takeover.told)
    if let used = takeover.used {
      Report.line("processor time from kill to the last of these", used.each(second: 1).text)
    }
    if takeover.repeated > 0 { Report.line("INVITEs that were sent again, after 500 ms and later", "\(takeover.repeated)") }
    for (what, count) in takeover.troubles.sorted(by: { $0.key < $1.key }) { Report.line("NOT AS IT SHOULD BE: \(what)", "\(count)") }
  }
}
