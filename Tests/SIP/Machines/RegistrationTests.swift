import Primitives
import Testing

@testable import SIP

/// The life of a binding: provider-side rules, row by row.
struct RegistrationTests {
  @Test func challengeThenBinding() throws {
    var driven = DrivenRegistration(options: ["path", "outbound"])
    driven.proceed()
    #expect(driven.actions == [.changed(.init(state: .registering)), .resolve(uri: Bytes("sip:sip.example.net".utf8))])
    #expect(driven.machine.isBusy)
    driven.resolve()
    let contact = "<sip:p1a7c3e9@192.0.2.10:5061;transport=tls>;expires=600;reg-id=1;+sip.instance=\"<urn:uuid:1>\""
    #expect(driven.field(.contact) == contact && driven.field(.expires) == "600" && driven.field(.supported) == "path, outbound")
    #expect(driven.field(.authorization) == nil && driven.field(.cSeq) == "1 REGISTER" && driven.field(.via) == nil)
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.field(.cSeq) == "2 REGISTER")
    #expect(driven.field(.authorization)?.contains("nonce=\"n1\"") == true)
    try driven.answer(200, driven.ok)
    #expect(driven.actions.last == .changed(.init(state: .registered, transport: .tls)))
    #expect(!driven.machine.isBusy && driven.machine.binding?.expiresAt == .ms(600_000))
    #expect((300...480).contains(driven.pause))
  }

  @Test func aRefreshIsOneTransactionWithTheSameNonce() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let (callID, from) = (driven.field(.callID), driven.field(.from))
    driven.proceedAndResolve()
    #expect(driven.field(.authorization)?.contains("nc=00000002") == true && driven.field(.cSeq) == "3 REGISTER")
    #expect(driven.field(.callID) == callID && driven.field(.from) == from)
    try driven.answer(200, driven.ok + "\nAuthentication-Info: nextnonce=\"n2\", qop=auth")
    #expect(driven.actions == [.targetAnswered(DrivenRegistration.tls)])
    driven.proceedAndResolve()
    #expect(driven.field(.authorization)?.contains("nonce=\"n2\"") == true)
    #expect(driven.field(.authorization)?.contains("nc=00000001") == true)
  }

  @Test func aNewNonceAtARefreshIsOneMoreTry() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n2"))
    #expect(driven.field(.authorization)?.contains("nonce=\"n2\"") == true)
    try driven.answer(200, driven.ok)
    #expect(driven.machine.status.state == .registered)
  }

  /// An owner that died had registered elsewhere and told nobody.
  @Test func aContactOfOursThatNobodyKeepsIsRemovedAtOnce() throws {
    var driven = DrivenRegistration()
    let stray = "\nContact: <sip:p1a7c3e9@192.0.2.99:5061;transport=tls>;expires=500, <sip:other@192.0.2.98>;expires=500"
    driven.proceedAndResolve()
    try driven.answer(200, driven.ok + stray)
    #expect(driven.machine.status.state == .registered && driven.pause == 0)
    driven.proceedAndResolve()
    #expect(
      driven.request?.message.lines(.contact).map(\.text) == [
        "<sip:p1a7c3e9@192.0.2.10:5061;transport=tls>;expires=600", "<sip:p1a7c3e9@192.0.2.99:5061;transport=tls>;expires=0",
      ])
    // Where the registrar does not, that is no reason to ask again before the refresh is due.
    try driven.answer(200, driven.ok + stray)
    #expect((300...480).contains(driven.pause))
  }

  @Test func whereTheRegistrarWritesContactsInItsOwnWayNoneIsAStray() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(200, "Contact: <sip:p1a7c3e9@203.0.113.1:6001>;expires=600, <sip:p1a7c3e9@203.0.113.1:6002>;expires=500")
    #expect(driven.pause >= 240)
  }

  @Test func aSecondChallengeMeansWrongCredentials() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n1"))
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n2"))
    #expect(driven.requests.count == 2 && driven.machine.status.state == .credentialsNeeded)
    #expect(driven.machine.status.demands == [.init(realm: Bytes("sip.example.net".utf8), algorithm: Bytes("MD5".utf8))])
    #expect(driven.pause >= 1440)
    // The slow try afterwards starts without the digest that was wrong.
    driven.proceedAndResolve()
    #expect(driven.field(.authorization) == nil)
  }

  @Test func aChallengeThatNobodyCanAnswerIsToldOf() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    let challenge = "WWW-Authenticate: Digest realm=\"sip.example.net\", nonce=\"n1\", algorithm=MD2"
    try driven.answer(401, challenge + "\r\n" + challenge)
    #expect(driven.machine.status.state == .credentialsNeeded)
    #expect(driven.machine.status.demands == [.init(realm: Bytes("sip.example.net".utf8), algorithm: Bytes("MD2".utf8))])
    driven.proceedAndResolve()
    try driven.answer(401, "WWW-Authenticate: Basic realm=\"sip.example.net\"")
    #expect(driven.machine.status.state == .rejected)
  }

  @Test func theSameNonceAgainMeansWrongCredentials() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.requests.count == 3 && driven.machine.status.state == .credentialsNeeded)
  }

  @Test func staleNoncesAreNoWrongCredentials() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n1"))
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n2", ", stale=true"))
    try driven.answer(200, driven.ok)
    #expect(driven.machine.status.state == .registered)
    driven.proceedAndResolve()
    for number in 0..<100 where driven.machine.isBusy {
      try driven.answer(401, DrivenRegistration.challenge(nonce: "s\(number)", ", stale=true"))
    }
    #expect(driven.machine.status.state == .credentialsNeeded && driven.requests.count < 25)
  }

  @Test func aForeignRealmIsNoLoop() throws {
    var driven = DrivenRegistration(realm: "elsewhere")
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.requests.count == 1 && driven.machine.status.state == .credentialsNeeded)
  }

  @Test func registrarAndProxyBothAsk() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(407, "Proxy-Authenticate: Digest realm=\"sip.example.net\", nonce=\"p1\", qop=\"auth\"")
    #expect(driven.field(.proxyAuthorization)?.contains("nonce=\"p1\"") == true && driven.field(.authorization) == nil)
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.field(.proxyAuthorization)?.contains("nc=00000002") == true)
    #expect(driven.field(.authorization)?.contains("nonce=\"n1\"") == true)
    try driven.answer(200, driven.ok)
    #expect(driven.machine.status.state == .registered)
  }

  @Test func tooBriefTwiceThenBackOff() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(423, "Min-Expires: 1200")
    #expect(driven.field(.expires) == "1200")
    try driven.answer(423, "Min-Expires: 3600")
    #expect(driven.field(.expires) == "3600")
    try driven.answer(423, "Min-Expires: 7200")
    #expect(driven.requests.count == 3 && driven.machine.status.state == .rejected)
    driven.proceedAndResolve()
    #expect(driven.field(.expires) == "3600")
  }

  @Test(arguments: ["", "Min-Expires: 60", "Min-Expires: 4294967295"])
  func anAbsurdMinimumBacksOff(_ line: String) throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(423, line)
    #expect(driven.requests.count == 1 && driven.machine.status.state == .rejected)
  }

  @Test func refusalsBackOffUpToHalfAnHour() throws {
    var driven = DrivenRegistration()
    var pauses: [Double] = []
    for _ in 0..<9 {
      driven.proceedAndResolve()
      try driven.answer(403)
      pauses.append(driven.pause)
      driven.step { $0.connectionLost(now: $1) }
      #expect(!driven.machine.isBusy)
    }
    #expect((24...30).contains(pauses[0]) && (48...60).contains(pauses[1]) && pauses[8] <= 1800 && pauses[8] >= 1440)
    driven.proceedAndResolve()
    try driven.answer(404, "Retry-After: 7")
    #expect(driven.pause >= 7 && driven.pause <= 7.7)
    driven.proceedAndResolve()
    try driven.answer(403, "Retry-After: 0")
    #expect(driven.pause == 5)
  }

  @Test func theNextServerWithinTheSameTry() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve([DrivenRegistration.tls, DrivenRegistration.secondTLS])
    driven.step { $0.failed(now: $1) }
    #expect(driven.actions == [.targetFailed(DrivenRegistration.tls)] && driven.requests.last?.target == DrivenRegistration.secondTLS)
    try driven.answer(500)
    #expect(driven.machine.status.state == .unreachable && driven.pause <= 5)
    driven.proceedAndResolve([])
    #expect(driven.machine.status.state == .unreachable && driven.pause > 5)
    for _ in 0..<20 { driven.proceedAndResolve([]) }
    #expect((210...300).contains(driven.pause))
  }

  @Test func nothingStaysOpenForEver() throws {
    var driven = DrivenRegistration()
    driven.proceed()
    driven.proceed()
    #expect(driven.machine.status.state == .unreachable && driven.now == .ms(30_000))
    driven.proceedAndResolve()
    driven.proceed()
    #expect(driven.actions.first == .targetFailed(DrivenRegistration.tls) && !driven.machine.isBusy)
  }

  @Test func retryAfterOfA503IsForTheWholeProvider() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve([DrivenRegistration.tls, DrivenRegistration.secondTLS])
    try driven.answer(file: "provider-messages/r18-503-retry-after.sip")
    #expect(driven.actions.contains(.pauseProvider(until: .ms(120_000))))
    #expect(driven.requests.count == 1 && driven.pause >= 120 && driven.pause <= 132)
  }

  @Test func otherSettingsRegisterAnew() throws {
    var driven = DrivenRegistration()
    try driven.register()
    var settings = driven.machine.settings
    settings.expires = 300
    driven.step { $0.renew(settings, now: $1) }
    #expect(driven.machine.status.state == .registering && driven.pause == 0)
    driven.proceedAndResolve()
    #expect(driven.field(.expires) == "300")
    try driven.answer(200, driven.ok)
    #expect(driven.machine.status.state == .registered)
  }

  @Test func otherSettingsEndATryThatIsUnderWay() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    var settings = driven.machine.settings
    settings.contactAddresses[.tls] = nil
    driven.step { $0.renew(settings, now: $1) }
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.requests.count == 1 && driven.machine.status.state == .registering && driven.pause == 0)
    driven.proceedAndResolve([DrivenRegistration.tls, DrivenRegistration.udp])
    #expect(driven.requests.last?.target == DrivenRegistration.udp)
  }

  @Test func aTrialHasItsOwnUserName() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let new = try #require(DrivenRegistration.credential("sip.example.net", .md5, "b"))
    driven.step { $0.replaceCredentials([new], username: Bytes("al".utf8), now: $1) }
    driven.resolve()
    try driven.answer(401, DrivenRegistration.challenge)
    #expect(driven.field(.authorization)?.contains("username=\"al\"") == true)
    #expect(driven.machine.settings.username == Bytes("alice".utf8))
    try driven.answer(200, driven.ok)
    #expect(driven.machine.settings.username == Bytes("al".utf8))
  }

  @Test func aLostConnectionRegistersAtOnce() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.step { $0.connectionLost(now: $1) }
    #expect(driven.actions == [.resolve(uri: Bytes("sip:sip.example.net".utf8))])
  }

  @Test func onceOverTLSNeverWithout() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.proceedAndResolve([DrivenRegistration.udp])
    #expect(driven.requests.count == 2 && driven.machine.status.state == .unreachable)
    driven.machine.settings.contactAddresses[.tls] = nil
    driven.proceedAndResolve([DrivenRegistration.udp])
    #expect(driven.requests.count == 3)
    var plain = DrivenRegistration()
    try plain.register([DrivenRegistration.udp])
    #expect(plain.machine.status.transport == .udp)
    plain.proceedAndResolve([DrivenRegistration.tls, DrivenRegistration.udp])
    #expect(plain.requests.last?.target == DrivenRegistration.udp)
  }

  @Test func removalAnswersItsChallenge() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.step { $0.remove(now: $1) }
    driven.resolve()
    #expect(driven.field(.contact) == "<sip:p1a7c3e9@192.0.2.10:5061;transport=tls>;expires=0" && driven.field(.expires) == "0")
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n9"))
    #expect(driven.field(.authorization)?.contains("nonce=\"n9\"") == true)
    try driven.answer(200)
    #expect(driven.actions.last == .removed && driven.machine.deadline == nil && driven.machine.credentials.isEmpty)
    driven.step { $0.remove(now: $1) }
    #expect(driven.actions == [])
  }

  @Test func removalWaitsForTheOpenRequest() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    driven.step { $0.remove(now: $1) }
    #expect(driven.actions == [] && driven.requests.count == 1)
    try driven.answer(401, DrivenRegistration.challenge)
    driven.resolve()
    #expect(driven.field(.expires) == "0")
    driven.step { $0.failed(now: $1) }
    #expect(driven.actions.last == .removed)
  }

  @Test func removalOfWhatNeverWasIsSilent() {
    var driven = DrivenRegistration()
    driven.step { $0.remove(now: $1) }
    #expect(driven.actions == [.removed] && driven.requests.isEmpty)
  }

  @Test func otherCredentialsCountOnceAccepted() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let due = driven.wake
    let new = [try #require(DrivenRegistration.credential("sip.example.net", .md5, "b"))]
    let old = driven.machine.credentials
    driven.step { $0.replaceCredentials(new, now: $1) }
    driven.resolve()
    #expect(driven.field(.authorization) == nil)
    try driven.answer(401, DrivenRegistration.challenge(nonce: "x1"))
    #expect(driven.machine.credentials == old)
    try driven.answer(401, DrivenRegistration.challenge(nonce: "x2"))
    #expect(driven.actions == [.targetAnswered(DrivenRegistration.tls), .trial(.refused)])
    #expect(driven.machine.credentials == old && driven.wake == due && driven.machine.status.state == .registered)
    driven.step { $0.replaceCredentials(new, now: $1) }
    driven.resolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "x3"))
    try driven.answer(200, driven.ok)
    #expect(driven.actions.contains(.trial(.accepted)) && driven.machine.credentials == new)
  }

  @Test func aRegistrarThatAsksForNoDigestProvesNothing() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(200, driven.ok)
    let new = [try #require(DrivenRegistration.credential("sip.example.net", .md5, "b"))]
    driven.step { $0.replaceCredentials(new, now: $1) }
    driven.resolve()
    try driven.answer(200, driven.ok)
    #expect(driven.actions.contains(.trial(.undecided)) && driven.machine.credentials != new)
  }

  @Test func aTrialThatIsReplacedIsNotTheOneAccepted() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let first = [try #require(DrivenRegistration.credential("sip.example.net", .md5, "b"))]
    let second = [try #require(DrivenRegistration.credential("sip.example.net", .md5, "c"))]
    let old = driven.machine.credentials
    driven.step { $0.replaceCredentials(first, now: $1) }
    driven.resolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "x1"))
    driven.step { $0.replaceCredentials(second, now: $1) }
    #expect(driven.actions == [.trial(.undecided)])
    try driven.answer(200, driven.ok)
    #expect(driven.machine.credentials == old && driven.machine.isBusy)
    driven.resolve()
    driven.step { $0.failed(now: $1) }
    #expect(driven.actions.contains(.trial(.undecided)) && driven.machine.credentials == old && !driven.machine.isBusy)
  }

  @Test func aRedirectionIsFollowedOnce() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    try driven.answer(302, "Contact: <sip:other.example.net>")
    #expect(driven.actions.last == .resolve(uri: Bytes("sip:other.example.net".utf8)))
    driven.resolve([DrivenRegistration.secondTLS])
    #expect(driven.request?.uri.text == "sip:other.example.net")
    try driven.answer(302, "Contact: <sip:third.example.net>")
    #expect(driven.machine.status.state == .rejected)
  }

  @Test func challengesToOtherRequestsAreAnsweredForOurRealmsOnly() throws {
    var driven = DrivenRegistration()
    let bye = try Trace.request("BYE", toTag: "t1")
    let ours = Trace.response(407, to: bye, more: "Proxy-Authenticate: Digest realm=\"sip.example.net\", nonce=\"n\"")
    let answers = driven.machine.authorizations(answering: ours, method: .bye, uri: bye.uri)
    #expect(answers.map(\.0) == [.proxyAuthorization])
    let foreign = Trace.response(407, to: bye, more: "Proxy-Authenticate: Digest realm=\"other\", nonce=\"n\"")
    #expect(driven.machine.authorizations(answering: foreign, method: .bye, uri: bye.uri).isEmpty)
  }

  @Test func lateAndForeignResponsesAreIgnored() throws {
    var driven = DrivenRegistration()
    driven.proceedAndResolve()
    let first = try #require(driven.request)
    try driven.answer(401, DrivenRegistration.challenge)
    driven.step { $0.received(Trace.response(200, to: first), now: $1) }
    #expect(driven.actions == [] && driven.machine.isBusy)
    try driven.answer(100)
    #expect(driven.actions == [] && driven.machine.isBusy)
  }
}
