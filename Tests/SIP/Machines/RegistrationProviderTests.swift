import Primitives
import Testing

@testable import SIP

/// Answers as registrars give them, each with its right treatment, and the registration flows of RFC 3665 §2.
struct RegistrationProviderTests {
  private func asked(
    _ file: String, realm: String = "sip.example.net", _ algorithms: [DigestAlgorithm] = [.md5], options: [String] = []
  ) throws -> DrivenRegistration {
    var driven = DrivenRegistration(realm: realm, algorithms: algorithms, options: options)
    driven.proceedAndResolve()
    try driven.answer(file: "provider-messages/" + file)
    return driven
  }

  @Test func threeChallenges() throws {
    #expect(try asked("r01-401-sha256-md5-md2.sip").field(.authorization)?.contains("algorithm=MD5") == true)
    #expect(try asked("r01-401-sha256-md5-md2.sip", [.md5, .sha256]).field(.authorization)?.contains("algorithm=SHA-256") == true)
  }

  @Test func neitherAlgorithmNorProtection() throws {
    let value = try asked("r03-401-fritzbox.sip", realm: "fritz.box").field(.authorization)
    #expect(value?.contains("nonce=\"00A24F3DE3202F6C\"") == true)
    for absent in ["qop", "nc=", "cnonce", "algorithm"] { #expect(value?.contains(absent) == false) }
  }

  @Test func staleWithoutQuotes() throws {
    let value = try asked("r04-401-stale-true.sip").field(.authorization)
    #expect(value?.contains("nonce=\"Sg0dKZHIwBmsBG7KZQkhyLeU2ZNxk5to+PlmPnlbz40/A==\"") == true)
    #expect(value?.contains("qop=auth, nc=00000001") == true)
  }

  @Test func onlyAuthInt() throws {
    let value = try asked("r06-401-auth-int-only.sip", realm: "DefaultSipRealm").field(.authorization)
    #expect(value?.contains("qop=auth-int") == true && value?.contains("opaque=\"x\"") == true)
  }

  @Test func proxyChallenge() throws {
    let driven = try asked("r08-407-proxy.sip")
    #expect(driven.field(.proxyAuthorization)?.contains("nonce=\"65f1c0de0000\"") == true && driven.field(.authorization) == nil)
  }

  @Test func tooBrief() throws {
    var driven = try asked("r09-423.sip")
    #expect(driven.field(.expires) == "3600" && driven.field(.cSeq) == "2 REGISTER")
    try driven.answer(200, "Contact: <sip:p1a7c3e9@192.0.2.10:5061;transport=tls>;expires=3600")
    driven.proceedAndResolve()
    #expect(driven.field(.expires) == "3600")
  }

  @Test func ourBindingAmongThree() throws {
    let driven = try asked("r10-200-three-bindings.sip")
    // One of the others is a former one of ours: it goes at once.
    #expect(driven.machine.binding?.expiresAt == .ms(60_000) && driven.pause == 0)
  }

  @Test func grantedByTheHeaderAlone() throws {
    let driven = try asked("r11-200-expires-header-only.sip")
    #expect(driven.machine.binding?.expiresAt == .ms(600_000) && (300...480).contains(driven.pause))
  }

  @Test func noContactInThe200() throws {
    let driven = try asked("r14-200-no-contact.sip")
    #expect(driven.machine.status.state == .registered && driven.pause == 150)
  }

  @Test func whatAnIMSRegistrarKeeps() throws {
    let binding = try #require(try asked("r15-200-ims.sip").machine.binding)
    #expect(
      binding.serviceRoutes.map(\.text) == [
        "<sip:orig@scscf.example.net:6060;lr>", "<sip:edge.example.net;lr>", "<sip:third.example.net;lr>",
      ])
    #expect(binding.path.count == 1 && binding.associatedURIs.count == 3)
    #expect(binding.publicGRUU?.text == "sip:+493023125001@sip.example.net;gr=urn:uuid:f81d4fae")
  }

  @Test func securityAgreementIsNotSpoken() throws {
    let driven = try asked("r19-494.sip")
    #expect(driven.machine.status.state == .rejected && driven.pause >= 1440 && driven.requests.count == 1)
  }

  @Test func unknownOptionsAreLeftOut() throws {
    var driven = try asked("r21-420-register.sip", options: ["path", "outbound", "gruu"])
    #expect(driven.field(.supported) == "gruu" && driven.field(.contact)?.contains("reg-id") == false)
    try driven.answer(file: "provider-messages/r21-420-register.sip")
    #expect(driven.machine.status.state == .rejected)
  }

  @Test func anExpiresOfZeroIsNotGranted() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(200, "Contact: <sip:p1a7c3e9@198.51.100.1:1024>;expires=0\nExpires: 0")
    #expect(driven.machine.binding?.expiresAt == .ms(600_000))
  }

  private func atBiloxi() -> DrivenRegistration { DrivenRegistration(realm: "atlanta.example.com", token: "bob") }

  @Test func rfc3665NewRegistration() throws {
    var driven = atBiloxi()
    driven.proceedAndResolve()
    try driven.answer(file: "rfc3665/2_1-F02.sip")
    #expect(driven.field(.cSeq) == "2 REGISTER")
    #expect(driven.field(.authorization)?.contains("nonce=\"ea9c8e88df84f1cec4341ae6cbe5a359\"") == true)
    #expect(driven.field(.authorization)?.contains("opaque=\"\"") == true)
    try driven.answer(file: "rfc3665/2_1-F04.sip")
    #expect(driven.machine.binding?.expiresAt == .ms(3_600_000))
  }

  @Test(arguments: ["rfc3665/2_2-F02.sip", "rfc3665/2_3-F02.sip"])
  func rfc3665OtherBindingsAreNotOurs(_ file: String) throws {
    var driven = atBiloxi()
    driven.proceedAndResolve()
    try driven.answer(file: file)
    #expect(driven.machine.binding?.expiresAt == .ms(3_600_000) && (1800...2880).contains(driven.pause))
  }

  @Test func rfc3665Cancellation() throws {
    var driven = atBiloxi()
    driven.proceedAndResolve()
    driven.step { $0.failed(now: $1) }
    driven.step { $0.remove(now: $1) }
    driven.resolve()
    // The file's CSeq is 1; ours is the second request.
    try driven.answer(file: "rfc3665/2_4-F02.sip")
    #expect(driven.machine.isBusy)
    try driven.answer(200)
    #expect(driven.actions.last == .removed)
  }

  @Test func rfc3665UnsuccessfulRegistration() throws {
    var driven = atBiloxi()
    driven.proceedAndResolve()
    try driven.answer(file: "rfc3665/2_5-F02.sip")
    try driven.answer(file: "rfc3665/2_5-F04.sip")
    #expect(driven.machine.status.state == .credentialsNeeded && driven.requests.count == 2)
  }
}
