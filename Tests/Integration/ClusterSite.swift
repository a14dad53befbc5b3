import Demo
import Glibc
import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit

/// A cluster as people run it: processes of the real executable over a real Redis, between the same provider and push service.
@LoopActor
final class ClusterSite {
  struct Node {
    let name: String
    let setting: Setting
    let program: Program
  }

  let provider: Provider
  let push: PushStandIn
  private(set) var nodes: [Node] = []
  private let redis: MemoryRedis
  private let secrets: TemporaryFolder

  /// One at a time: each is three processes and Redis.
  private static let crowd = Crowd(1)

  /// Plays a test at a site, which is gone when it ends.
  static func with(_ test: @LoopActor (ClusterSite) async throws -> Void) async throws {
    try await crowd.with {
      let site = try await ClusterSite()
      let outcome = await result {
        try await site.start(["node-1", "node-2", "node-3"])
        try await test(site)
      }
      await site.stop()
      try outcome.get()
    }
  }

  private init() async throws {
    provider = try await Site.sharedProvider.value
    push = try PushStandIn()
    redis = try await MemoryRedis()
    secrets = try TemporaryFolder()
  }

  private func start(_ names: [String]) async throws {
    for membership in try await Setting.Membership.made(of: names, in: secrets, redis: redis.address) {
      let setting = try Setting(push: push, membership: membership)
      nodes.append(Node(name: membership.name, setting: setting, program: try start(setting)))
    }
    for node in nodes { try await waitUntilAllSee(node) }
  }

  private func start(_ setting: Setting) throws -> Program {
    try Program(Program.ringhold, ["serve", "--config", setting.file], environment: [:])
  }

  /// Ready, and with everybody among those that it knows to live.
  private func waitUntilAllSee(_ node: Node) async throws {
    let seen = await eventually(within: .seconds(20)) {
      guard node.program.isRunning else { return 0 }
      let status = try? await Program.run(
        Program.ringhold, ["status", "--admin", node.setting.admin], environment: [:]
      ).output
      return nodes.count { status?.contains($0.name) ?? false }
    } until: {
      $0 == nodes.count
    }
    guard seen == nodes.count else { throw ProgramFailure(program: node.program) }
  }

  /// A phone whose set-up, by way of the first node, ended in `registered`.
  func registered(_ user: String, over transport: TransportChoice) async throws -> Handset {
    let phone = try Handset(user: user, provider: provider.address.text, push: push, server: nodes[0].setting.https)
    let state = try await phone.setUp(over: transport)
    guard state.registration.state == .registered else {
      throw Unexpected(expected: "registered", came: state.registration.state.rawValue)
    }
    return phone
  }

  func call(_ user: String, _ scenario: Scenario) throws -> Caller { try Caller(scenario, to: user, at: provider.socketAddress) }

  /// The node that the provider has for the user.
  func owner(of user: String) async throws -> Node {
    let contact = try await provider.bindings(of: user, reach: 1).first?.contact ?? ""
    guard let owner = nodes.first(where: { contact.contains($0.setting.https.ip.text) }) else {
      throw Unexpected(expected: "a node", came: "\(contact.count) characters")
    }
    return owner
  }

  /// `kill -9`.
  func kill(_ node: Node) {
    nodes.removeAll { $0.name == node.name }
    Glibc.kill(node.program.id, SIGKILL)
  }

  func endRedis() async { await redis.stop() }

  private func stop() async {
    for node in nodes { await node.program.stop() }
    await redis.stop()
    await push.stop()
  }
}
