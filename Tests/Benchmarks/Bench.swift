import Network
import Primitives

/// Servers between their stand-ins, with accounts that are registered.
@LoopActor
final class Bench {
  let provider: StandInProvider
  let pushService: StandInPushService
  let servers: Servers
  let fleet: Fleet
  private let workplace: Workplace

  private init(
    _ workplace: Workplace, _ provider: StandInProvider, _ pushService: StandInPushService, _ servers: Servers, _ fleet: Fleet
  ) {
    (self.workplace, self.provider, self.pushService) = (workplace, provider, pushService)
    (self.servers, self.fleet) = (servers, fleet)
  }

  /// - Parameter providers: so many share the accounts.
  static func start(_ layout: Layout = .alone, accounts: Int = 0, providers count: Int = 1) async throws -> Bench {
    let workplace = try Workplace()
    let providers = Workplace.providers(min(count, Workplace.mostProviders))
    let provider = try StandInProvider(providers)
    let pushService = try StandInPushService(certificate: workplace.certificate, key: workplace.key)
    let servers = try await Servers.start(layout, in: workplace, pushPort: pushService.port)
    let fleet = try Fleet(at: servers.addresses, providers: providers, workplace)
    let bench = Bench(workplace, provider, pushService, servers, fleet)
    try await bench.grow(to: accounts)
    return bench
  }

  /// Until so many accounts are registered.
  func grow(to accounts: Int) async throws {
    guard accounts > fleet.members.count else { return }
    try await fleet.grow(to: accounts)
    try await Task.sleep(for: .seconds(1))
    guard fleet.members.allSatisfy({ provider.registered[$0.user] != nil }) else { throw Trouble("not every account is registered") }
  }

  /// A call to an account, to where it is registered now.
  func call(_ number: Int, to member: Int) -> PreparedCall {
    let called = fleet.members[member]
    return PreparedCall(number, to: provider.registered[called.user] ?? "", from: called.provider)
  }

  /// The node that keeps the account registered, and so is the home of its calls.
  func home(of member: Int) -> Int {
    let contact = provider.registered[fleet.members[member].user] ?? ""
    let host = PreparedCall.host(of: contact)?.split(separator: ":").first.map(String.init)
    return servers.nodes.indices.first { Workplace.node($0) == host } ?? 0
  }

  /// Phones know no node from another: each comes to the next one.
  func anyNode(for member: Int) -> Int { member % servers.nodes.count }

  func stop() {
    fleet.close()
    servers.stop()
    provider.close()
    pushService.close()
  }
}
