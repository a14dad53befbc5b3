import Cryptography
import Endpoints
import Network
import Primitives
import SIP
import Testing

@testable import Demo

@LoopActor
@Suite(.timeLimit(.minutes(1))) struct ProviderRegistrationTests {
  private func provider(_ adjust: (inout ProviderSettings) -> Void = { _ in }) throws -> ProviderStandIn {
    var settings = ProviderSettings()
    adjust(&settings)
    return try ProviderStandIn(settings)
  }

  @Test(arguments: Transport.allCases)
  func aBindingIsMadeRefreshedAndRemoved(_ transport: Transport) async throws {
    let authority = try CertificateAuthority(commonName: "Test")
    let certificate = try authority.issue(names: ["provider.example"])
    let provider = try provider { $0.certificate = certificate }
    let phone = try RawPhone(provider, over: transport, trusting: authority)
    phone.register()
    try await phone.registered()
    #expect(provider.events == [.challenged(user: "alice"), .registered(user: "alice", .sha256, transport, expires: 600)])
    #expect(provider.bindings(of: "alice").map(\.flow.transport) == [transport])
    phone.refresh()
    _ = try await provider.first("a refresh", where: \.isRefreshed)
    // The last nonce went along: nobody was asked again.
    #expect(provider.events.count == 3)
    #expect(provider.bindings(of: "alice").count == 1)
    phone.unregister()
    _ = try await provider.first("a removal") { $0 == .unregistered(user: "alice") }
    #expect(provider.bindings(of: "alice").isEmpty)
    provider.close()
    phone.endpoint.close()
  }

  @Test(arguments: DigestAlgorithm.allCases)
  func everyDigestIsTaken(_ algorithm: DigestAlgorithm) async throws {
    let provider = try provider { $0.algorithms = [algorithm] }
    let phone = try RawPhone(provider, algorithm: algorithm)
    phone.register()
    _ = try await provider.first("a registration") { $0 == .registered(user: "alice", algorithm, .udp, expires: 600) }
    provider.close()
    phone.endpoint.close()
  }

  @Test func aWrongPasswordIsRefused() async throws {
    let provider = try provider()
    let phone = try RawPhone(provider, password: "looking-glass")
    phone.register()
    _ = try await provider.first("a refusal") { $0 == .refused(user: "alice", status: 403) }
    #expect(provider.bindings(of: "alice").isEmpty)
    provider.close()
    phone.endpoint.close()
  }

  @Test func tooBriefAnIntervalIsRaised() async throws {
    let provider = try provider { $0.shortestExpires = 900 }
    let phone = try RawPhone(provider)
    phone.register()
    _ = try await provider.first("a registration", where: \.isRegistered)
    #expect(provider.events.contains(.refused(user: "alice", status: 423)))
    #expect(provider.bindings(of: "alice").map(\.expires) == [900])
    provider.close()
    phone.endpoint.close()
  }

  @Test func anOldNonceIsAskedForAgain() async throws {
    let provider = try provider { $0.nonceLifetime = .zero }
    let phone = try RawPhone(provider)
    phone.register()
    _ = try await provider.first("a second challenge", from: 1) { $0 == .challenged(user: "alice") }
    #expect(provider.bindings(of: "alice").isEmpty)
    provider.close()
    phone.endpoint.close()
  }

  @Test func whoIsNotRegisteredCannotBeCalled() throws {
    let provider = try provider()
    #expect(throws: Unexpected.self) { try provider.call("alice", from: .anonymous, sdp: nil) }
    provider.close()
  }
}
