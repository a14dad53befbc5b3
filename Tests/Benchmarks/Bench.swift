import Endpoints
import Foundation
import Network
import Primitives

/// A server between its stand-ins, with accounts that are registered.
@LoopActor
final class Bench {
  let workplace: Workplace
  let provider: StandInProvider
  let pushService: StandInPushService
  let server: Program
  let fleet: Fleet
  /// The Contact of each member of the fleet, in its order.
  let targets: [String]
  /// Resident bytes before the first account and after the last.
  let emptyBytes: Int
  let fullBytes: Int

  private init(
    _ workplace: Workplace, _ provider: StandInProvider, _ pushService: StandInPushService, _ server: Program, _ fleet: Fleet,
    _ emptyBytes: Int
  ) throws {
    (self.workplace, self.provider, self.pushService) = (workplace, provider, pushService)
    (self.server, self.fleet, self.emptyBytes) = (server, fleet, emptyBytes)
    targets = fleet.members.compactMap { provider.registered[$0.user] }
    guard targets.count == fleet.members.count else { throw Trouble("not every account is registered") }
    fullBytes = ProcessMeter(server.processID).resident
  }

  /// - Parameter tellsDevices: false: the server that neither seals nor pushes.
  static func start(accounts: Int, tellsDevices: Bool = true) async throws -> Bench {
    let workplace = try Workplace()
    guard let address = SocketAddress(Workplace.server + ":5060") else { throw Trouble("no address") }
    let provider = try StandInProvider(server: address)
    let pushService = try StandInPushService(certificate: workplace.certificate, key: workplace.key)
    try workplace.writeConfiguration(pushPort: pushService.port)
    let file = workplace.path("ringhold.yaml")
    let log = workplace.path("server.log")
    let server =
      tellsDevices
      ? try Program(Program.beside("ringhold"), ["serve", "--config", file], output: log)
      : try Program(CommandLine.arguments[0], [UntoldServer.command, file], output: log)
    try await untilServing(server, log)
    let empty = ProcessMeter(server.processID).resident
    let fleet = try await Fleet(accounts, workplace)
    try await Task.sleep(for: .seconds(1))
    return try Bench(workplace, provider, pushService, server, fleet, empty)
  }

  private static func untilServing(_ server: Program, _ log: String) async throws {
    for _ in 0..<100 where server.isRunning {
      try await Task.sleep(for: .milliseconds(100))
      if try String(contentsOfFile: log, encoding: .utf8).contains("providers are served") { return }
    }
    throw Trouble("the server does not start: " + (try String(contentsOfFile: log, encoding: .utf8)))
  }

  func stop() {
    fleet.close()
    server.stop()
    provider.close()
    pushService.close()
  }
}
