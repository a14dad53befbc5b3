import Network
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// The first and the last act.
extension Play {
  func setUp() async throws {
    narrator.title("Set-up, once")
    try await narrator.step(.phone, .server, "asks what the provider wants") { line in line += ": \(try await challenges())" }
    let (client, account, push) = (stage.client, stage.account, push)
    let state = Task { try await client.setUp(account, push: push, name: "Alice's phone") }
    do {
      try await registration()
    } catch {
      // Why the phone was refused says more than that the provider saw nothing.
      let outcome = await state.result
      narrator.tell(.server, .phone, "the set-up: \(outcome.map { "\($0.registration.state)" })")
      throw error
    }
    try await narrator.step(.server, .phone, "registered; the phone may sleep now") { line in
      let state = try await state.value
      try expect(state.registration.state, .registered, "state")
      line += ", \(state.devices.count) of \(state.slots) slots taken"
    }
  }

  private var push: PushBody { .apns(token: stage.token, topic: Stage.topic, environment: .production) }

  private func challenges() async throws -> String {
    let account = stage.account
    let reply = try await stage.client.probe(
      .init(registrar: account.registrar, user: account.user, domain: account.domain, transport: account.transport))
    try expect(reply.challenges.map(\.algorithm), ["SHA-256", "MD5"], "challenges")
    return reply.challenges.map { "\($0.algorithm) for \($0.realm)" }.joined(separator: " or ")
  }

  private func registration() async throws {
    let start = stage.provider.eventCount
    narrator.tell(.phone, .server, "sets up: a hash in place of the password, public keys, push token")
    try await narrator.step(.server, .provider, "REGISTER, answered 401: who are you?") { _ in
      try await stage.provider.first("a challenge", from: start) { $0 == .challenged(user: Stage.user) }
    }
    try await narrator.step(.server, .provider, "REGISTER with digest, answered 200") { line in
      let event = try await stage.provider.first("a registration", from: start) { if case .challenged = $0 { false } else { true } }
      line += ": \(try Self.kind(of: event))"
    }
  }

  /// Not in the closure: a release build of Swift 6.3.1 across modules crashes there.
  private static func kind(of event: ProviderEvent) throws(Unexpected) -> String {
    guard case .registered(Stage.user, let algorithm, let transport, let expires) = event else {
      throw Unexpected(expected: "a registration", came: "\(event)")
    }
    return "\(algorithm.name), \(transport.viaName), for \(expires) s"
  }

  func remove() async throws {
    narrator.title("The phone leaves")
    let start = stage.provider.eventCount
    try await narrator.step(.phone, .server, "takes itself off") { _ in try await stage.client.remove() }
    try await narrator.step(.server, .provider, "REGISTER with expires 0, answered 200: no binding is left") { _ in
      _ = try await stage.provider.first("a removal", from: start) { $0 == .unregistered(user: Stage.user) }
      try expect(stage.provider.bindings(of: Stage.user).count, 0, "bindings")
    }
    try await narrator.step(.server, .phone, "does not know it any more") { _ in
      do throws(PhoneError) {
        _ = try await stage.client.state()
      } catch {
        guard case .problem(let problem) = error, problem.name == .notSetUp else { throw error }
        return
      }
      throw Unexpected(expected: "not-set-up", came: "a set-up state")
    }
  }
}
