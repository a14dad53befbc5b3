import Network
import PhoneContract
import PhoneKit
import Primitives
import SIP

/// The first and the last act.
extension Play {
  func setUp() async throws {
    narrator.title("Set-up, once")
    _ = try await narrator.step(.phone, .server, "asks what the provider wants", detail: { ": \($0)" }) {
      try await challenges()
    }
    async let state = stage.client.setUp(stage.account, push: push, name: "Alice's phone")
    do {
      try await registration()
    } catch {
      // Why the phone was refused says more than that the provider saw nothing.
      _ = try await narrator.step(.server, .phone, "set-up") { try await state }
      throw error
    }
    _ = try await narrator.step(.server, .phone, "registered", detail: { "; the phone may sleep now, \($0)" }) {
      let state = try await state
      try expect(state.registration.state, .registered, "state")
      return "\(state.devices.count) of \(state.slots) slots taken"
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
    let start = stage.provider.events.count
    _ = try await narrator.step(.phone, .server, "sets itself up: a hash in place of the password, its public keys, its push token") {}
    _ = try await narrator.step(.server, .provider, "REGISTER, answered 401: who are you?") {
      try await stage.provider.first("a challenge", from: start) { $0 == .challenged(user: Stage.user) }
    }
    _ = try await narrator.step(.server, .provider, "REGISTER with digest, answered 200", detail: { ": \($0)" }) {
      let event = try await stage.provider.first("a registration", from: start) { if case .challenged = $0 { false } else { true } }
      guard case .registered(Stage.user, let algorithm, let transport, let expires) = event else {
        throw Unexpected(expected: "a registration", came: "\(event)")
      }
      return "\(algorithm.name), \(transport.viaName), for \(expires) s"
    }
  }

  func remove() async throws {
    narrator.title("The phone leaves")
    let start = stage.provider.events.count
    try await narrator.step(.phone, .server, "takes itself off") { try await stage.client.remove() }
    _ = try await narrator.step(.server, .provider, "REGISTER with expires 0, answered 200: no binding is left") {
      _ = try await stage.provider.first("a removal", from: start) { $0 == .unregistered(user: Stage.user) }
      try expect(stage.provider.bindings(of: Stage.user).count, 0, "bindings")
    }
    _ = try await narrator.step(.server, .phone, "knows it no more") {
      do throws(PhoneError) {
        _ = try await stage.client.state()
        throw Unexpected(expected: "not-set-up", came: "a set-up state")
      } catch {
        guard case .problem(let problem) = error, problem.name == .notSetUp else { throw error }
      }
    }
  }
}
