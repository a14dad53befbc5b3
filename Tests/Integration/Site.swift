import Cryptography
import Demo
import Network
import Node
import PhoneContract
import PhoneKit
import Primitives
import Telemetry
import TestKit

/// A server between a real provider and a push service, in this process, on addresses of its own.
@LoopActor
final class Site {
  let provider: Provider
  let push: PushStandIn
  let server: Server
  let setting: Setting

  /// Who vouches for every certificate of these tests.
  nonisolated static let authority = Result { try CertificateAuthority(commonName: "Integration tests") }

  /// The provider of all tests that do not need one of their own.
  static let sharedProvider = Task { @LoopActor in try await Provider(authority: try Site.authority.get()) }

  /// A few servers at a time are enough for two cores.
  static let crowd = Crowd(8)

  /// Plays a test at a site, which is gone when it ends.
  /// - Parameters:
  ///   - makeProvider: for a provider of the test's own; nil for the shared one.
  ///   - settings: by the variables' names without `RINGHOLD_`, over those of the file.
  static func with(
    provider makeProvider: (@LoopActor () async throws -> Provider)? = nil, _ settings: [String: String] = [:],
    limits: ServerLimits = .init(), _ test: @LoopActor (Site) async throws -> Void
  ) async throws {
    try await crowd.with {
      let own = try await makeProvider?()
      let provider = if let own { own } else { try await sharedProvider.value }
      let outcome: Result<Void, any Error>
      do {
        let site = try await Site(provider, settings, limits)
        outcome = await result { try await test(site) }
        await site.close()
      } catch {
        outcome = .failure(error)
      }
      await own?.stop()
      try outcome.get()
    }
  }

  private init(_ provider: Provider, _ settings: [String: String], _ limits: ServerLimits) async throws {
    self.provider = provider
    push = try PushStandIn()
    setting = try Setting(push: push)
    let variables = Dictionary(uniqueKeysWithValues: settings.map { ("RINGHOLD_" + $0, $1) })
    let configuration = try Configuration.load(file: setting.file, environment: variables)
    server = try Server(configuration, log: Log(level: .debug, now: { .zero }, sink: { $0.count }), limits: limits)
  }

  func phone(of user: String, _ kind: Phone.KeyKind = .curve25519, token: String? = nil) throws -> Handset {
    try Handset(user: user, provider: provider.address.text, push: push, server: setting.https, kind: kind, token: token)
  }

  /// A phone whose set-up ended in `registered`.
  func registered(_ user: String, over transport: TransportChoice = .udp, _ kind: Phone.KeyKind = .curve25519, token: String? = nil)
    async throws -> Handset
  {
    let phone = try phone(of: user, kind, token: token)
    let state = try await phone.setUp(over: transport)
    guard state.registration.state == .registered else {
      throw Unexpected(expected: "registered", came: state.registration.state.rawValue)
    }
    return phone
  }

  /// Calls by way of the provider.
  func call(_ user: String, _ scenario: Scenario, over transport: Caller.Transport = .udp) throws -> Caller {
    try Caller(scenario, to: user, at: provider.socketAddress, over: transport)
  }

  /// Ends everything but the shared provider.
  func close() async {
    await server.stop(within: .seconds(2))
    await push.stop()
  }
}

/// What throws, as a value: what has to be cleaned up is cleaned up before it goes on.
@LoopActor
func result(_ body: @LoopActor () async throws -> Void) async -> Result<Void, any Error> {
  do {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
