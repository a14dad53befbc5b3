import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing
import TestKit

/// One account, kept registered at Kamailio.
@LoopActor
@Suite struct RegistrationTests {
  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func answersTheChallengeAndGivesTheBindingBack(_ transport: TransportChoice)
    async throws
  {
    try await Site.with { site in
      let phone = try site.phone(of: "alice-\(transport.rawValue)")
      let state = try await phone.setUp(over: transport)
      #expect(state.registration.state == .registered)
      #expect(state.registration.transport == transport)

      let bindings = try await site.provider.bindings(of: phone.user)
      #expect(bindings.count == 1)
      // Nothing in the Contact tells whose it is.
      #expect(bindings.allSatisfy { $0.contact.hasPrefix("sip:") && !$0.contact.contains("alice") && (500...600).contains($0.expires) })
      if transport != .udp { #expect(bindings.allSatisfy { $0.contact.contains("transport=\(transport.rawValue)") }) }

      try await phone.client.remove()
      #expect(try await site.provider.bindings(of: phone.user, reach: 0) == [])
      #expect(try await problem { _ = try await phone.client.state() } == .notSetUp)
    }
  }

  @Test func refreshesBeforeTheBindingRunsOut() async throws {
    try await Site.with { site in
      let phone = try await site.registered("fleeting")
      let first = try #require(try await site.provider.bindings(of: "fleeting").first)
      let refreshed = try await eventually(within: .seconds(20)) {
        try await site.provider.bindings(of: "fleeting").first
      } until: {
        $0 == nil || $0?.cseq != first.cseq
      }
      // The same binding, by one request: the last nonce went along from the start.
      #expect(refreshed?.contact == first.contact)
      #expect(refreshed?.cseq == first.cseq + 1)
      try await phone.client.remove()
    }
  }

  @Test func givesEveryBindingBackWhenTheServerStops() async throws {
    try await Site.with { site in
      for user in ["leaving-1", "leaving-2"] { _ = try await site.registered(user, over: .tcp) }
      #expect(try await site.provider.bindings(of: "leaving-2").count == 1)
      await site.close()
      for user in ["leaving-1", "leaving-2"] { #expect(try await site.provider.bindings(of: user) == []) }
    }
  }

  @Test func sha256WhereTheProviderAsksForIt() async throws {
    try await Site.with(provider: { try await Provider(authority: try Site.authority.get(), algorithm: "SHA-256") }) { site in
      let phone = try site.phone(of: "alice")
      let probe = try await phone.client.probe(
        .init(registrar: site.provider.address.text, user: "alice", domain: Provider.domain, transport: .udp))
      #expect(probe.challenges == [ChallengeBody(realm: Provider.domain, algorithm: "SHA-256")])
      #expect(try await phone.setUp(phone.account(over: .udp, algorithm: .sha256)).registration.state == .registered)
    }
  }

  @Test func saysWhichCredentialsAreNeeded() async throws {
    try await Site.with { site in
      let phone = try site.phone(of: "needy")
      let state = try await phone.setUp(phone.account(over: .udp, algorithm: .sha256))
      #expect(state.registration.state == .credentialsNeeded)
      #expect(state.registration.challenges == [ChallengeBody(realm: Provider.domain, algorithm: "MD5")])
      // Others' credentials change nothing before the provider has taken them.
      #expect(try await problem { _ = try await phone.setUp(phone.account(over: .udp, password: "wrong")) } == .credentialsMismatch)
      #expect(try await phone.setUp(phone.account(over: .udp)).registration.state == .registered)
    }
  }

  @Test(arguments: [("barred", RegistrationState.rejected), ("later", .unreachable)])
  func saysWhatTheProviderSays(_ user: String, _ expected: RegistrationState) async throws {
    try await Site.with { site in
      let state = try await site.phone(of: user).setUp(over: .udp)
      #expect(state.registration.state == expected)
      #expect((state.registration.retryAfter ?? 0) > 0)
    }
  }

  /// RFC 5922: who cannot show the domain's certificate does not hear of the account.
  @Test func aCertificateOfSomebodyElse() async throws {
    try await Site.with(provider: { try await Provider(authority: try Site.authority.get(), names: ["somebody.else.test"]) }) { site in
      let phone = try site.phone(of: "alice")
      let state = try await phone.setUp(over: .tls)
      #expect(state.registration.state == .unreachable)
      #expect(state.registration.retryAfter != nil)
      #expect(try await site.provider.bindings(of: "alice") == [])
    }
  }

  @Test(arguments: [TransportChoice.udp, .tcp]) func aProviderThatIsAwayAndComesBack(_ transport: TransportChoice) async throws {
    try await Site.with(provider: { try await Provider(authority: try Site.authority.get()) }) { site in
      await site.provider.stop()
      let phone = try site.phone(of: "patient")
      let state = try await phone.setUp(over: transport)
      #expect(state.registration.state == .unreachable)
      #expect((1...10).contains(state.registration.retryAfter ?? 0))

      let back = try await Provider(at: site.provider.address, authority: try Site.authority.get())
      let later = try await eventually(within: .seconds(40), every: .milliseconds(200)) {
        try await phone.client.state().registration.state
      } until: {
        $0 == .registered
      }
      #expect(later == .registered)
      #expect(try await back.bindings(of: "patient").count == 1)
      await back.stop()
    }
  }

  @Test func aRegistrarThatNobodyMayAskFor() async throws {
    try await Site.with(["SIP_ALLOW_NETWORKS": ""]) { site in
      let phone = try site.phone(of: "alice")
      #expect(try await problem { _ = try await phone.setUp(over: .udp) } == .registrarNotAllowed)
    }
  }
}
