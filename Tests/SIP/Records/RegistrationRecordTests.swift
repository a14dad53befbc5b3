import Primitives
import TestKit
import Testing

@testable import SIP

struct RegistrationRecordTests {
  static let random = SeededRandom(seed: 99)

  private func readBack(_ registration: Registration, credentials: [DigestCredential]? = nil) throws -> Registration {
    try Registration(record: registration.record, credentials: credentials ?? registration.credentials, random: Self.random)
  }

  /// What is to be read back: no trial, no try under way, another random state.
  private func normalised(_ registration: Registration) -> Registration {
    var known = registration
    known.random = Self.random
    known.trial = nil
    switch registration.phase {
    case .resolving(let attempt, _), .trying(let attempt, _, _):
      let isTrial = attempt.purpose != .register && attempt.purpose != .remove
      known.phase = .resting(until: isTrial ? attempt.resumeAt ?? .zero : .zero)
      if !isTrial, !attempt.isRedirected { known.sessions = attempt.sessions }
    case .new, .resting, .removed: break
    }
    return known
  }

  /// One step of anything that can happen.
  private func step(_ driven: inout DrivenRegistration, _ random: inout SeededRandom) throws {
    let challenge = DrivenRegistration.challenge(nonce: "n\(Int.random(in: 0..<9, using: &random))", ", opaque=\"o\"")
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: driven.proceed()
    case 4..<8: driven.resolve(chance(5, &random) ? [] : [DrivenRegistration.tls, DrivenRegistration.secondTLS, DrivenRegistration.udp])
    case 8..<13 where driven.request != nil:
      let service = "\nService-Route: <sip:s;lr>\nP-Associated-URI: <sip:b@e>, <tel:+1>\nPath: <sip:p;lr>"
      try driven.answer(200, driven.ok + (chance(2, &random) ? service : ""))
    case 13..<16 where driven.request != nil: try driven.answer(401, challenge)
    case 16 where driven.request != nil:
      let (status, more) =
        [
          (403, ""), (423, "Min-Expires: 900"), (503, "Retry-After: 20"), (500, ""), (302, "Contact: <sip:other.example>"),
          (420, "Unsupported: path"), (407, "Proxy-Authenticate: Digest realm=\"p\", nonce=\"1\""),
        ]
        .randomElement(using: &random) ?? (403, "")
      try driven.answer(status, more)
    case 17: driven.step { $0.connectionLost(now: $1) }
    case 18 where chance(2, &random):
      let other = DrivenRegistration.credential("sip.example.net", .md5, "b").map { [$0] } ?? []
      driven.step { $0.replaceCredentials(other, now: $1) }
    case 19 where chance(8, &random): driven.step { $0.remove(now: $1) }
    default: driven.step { $0.failed(now: $1) }
    }
  }

  private func chance(_ oneIn: Int, _ random: inout SeededRandom) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

  @Test func whateverHappensIsReadBack() throws {
    for seed: UInt64 in 0..<100 {
      var random = SeededRandom(seed: seed)
      var driven = DrivenRegistration(options: chance(2, &random) ? ["path", "outbound"] : [], seed: seed)
      driven.now = .ms(1_764_480_000_000)
      for _ in 0..<20 {
        try step(&driven, &random)
        let read = try readBack(driven.machine)
        #expect(read == normalised(driven.machine), "seed \(seed)")
        #expect(read.record == driven.machine.record)
      }
    }
  }

  @Test func whoTakesOverGoesOnWithTheNonce() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.machine = try readBack(driven.machine)
    driven.proceedAndResolve()
    #expect(driven.field(.authorization)?.contains("nc=00000002") == true)
    #expect(driven.field(.cSeq) == "3 REGISTER")
    #expect(driven.requests[2].target == DrivenRegistration.tls)
  }

  @Test func aTryUnderWayIsDoneAnew() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.proceedAndResolve()
    driven.machine = try readBack(driven.machine)
    #expect(!driven.machine.isBusy && driven.machine.deadline == .zero)
    driven.step { $0.deadlineReached(now: $1) }
    driven.resolve()
    #expect(driven.field(.authorization)?.contains("nc=00000003") == true, "the count of the lost one is used up")
  }

  @Test func aRemovalUnderWayIsDoneAnew() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.step { $0.remove(now: $1) }
    driven.machine = try readBack(driven.machine)
    driven.step { $0.deadlineReached(now: $1) }
    driven.resolve()
    #expect(driven.field(.expires) == "0")
    try driven.answer(200)
    #expect(driven.actions.contains(.removed))
    #expect(try readBack(driven.machine).phase == .removed)
  }

  private func contacts(_ driven: DrivenRegistration) -> [String] { driven.request?.message.lines(.contact).map(\.text) ?? [] }

  @Test func theSameREGISTERRemovesWhatTheOwnersBeforeLeft() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let settings = driven.machine.settings
    for host in ["198.51.100.1:5061", "198.51.100.2:5061"] {
      driven.machine = try readBack(driven.machine)
      var moved = settings
      moved.contactAddresses = settings.contactAddresses.mapValues { _ in Array(host.utf8) }
      driven.step { machine, now in
        machine.takenOver(settings: moved, now: now)
        return machine.deadlineReached(now: now)
      }
      driven.resolve()
    }
    let sent = contacts(driven)
    #expect(sent.first?.contains("198.51.100.2") == true && sent.first?.hasSuffix("expires=0") == false)
    let removed = sent.dropFirst()
    #expect(removed.allSatisfy { $0.hasSuffix(";expires=0") && !$0.contains("198.51.100.2") })
    #expect(removed.contains { $0.contains("198.51.100.1") }, "the REGISTER of the node between may have been done")
    #expect(removed.count > settings.contactAddresses.count)
    try driven.answer(200, driven.ok)
    #expect(driven.machine.formerContacts.isEmpty)
  }

  private func number(_ driven: DrivenRegistration) throws -> UInt32 { try #require(driven.request).cseq.number }

  /// Those before this owner have used numbers that no record tells of.
  @Test(arguments: [400, 500]) func aRegistrarThatKnowsAHigherNumberIsAskedWithAHigherOne(status: Int) throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.proceedAndResolve()
    let (count, former) = (driven.requests.count, try number(driven))
    try driven.answer(status)
    #expect(driven.requests.count == count + 1 && driven.requests.last?.target == DrivenRegistration.tls)
    #expect(try number(driven) > former + 5000)
    try driven.answer(status)
    #expect(driven.requests.count == count + 1 && !driven.machine.isBusy, "then it means something else")
    driven.proceedAndResolve()
    try driven.answer(200, driven.ok)
    #expect(driven.machine.status.state == .registered)
  }

  @Test func withOtherCredentialsTheServerChallengesAnew() throws {
    var driven = DrivenRegistration()
    try driven.register()
    let read = try readBack(driven.machine, credentials: [])
    #expect(read.sessions.isEmpty && read.binding == driven.machine.binding)
  }

  @Test func noSecretIsInIt() throws {
    var driven = DrivenRegistration()
    try driven.register()
    driven.step { $0.replaceCredentials([], now: $1) }
    let record = driven.machine.record
    for credential in driven.machine.credentials {
      #expect(!record.contains(subsequence: credential.storedHA1.text))
      #expect(try !Hex.encode(record).contains(#require(String(validating: credential.storedHA1, as: UTF8.self))))
    }
  }

  @Test func golden() throws {
    let golden = try Golden("registration", example: whole().record)
    let credentials = DrivenRegistration().machine.credentials
    let read = try Registration(record: golden.bytes, credentials: credentials, random: Self.random)
    #expect(read.record == golden.bytes)
    #expect(read.settings == DrivenRegistration(options: ["path", "outbound"]).machine.settings)
    #expect(read.cseq == 2 && read.status.state == .registered && read.status.transport == .tls)
    #expect(read.binding?.target == DrivenRegistration.tls && read.binding?.serviceRoutes.map(\.text) == ["<sip:s;lr>"])
    #expect(read.binding?.associatedURIs.map(\.text) == ["<sip:b@e>", "<tel:+1>"])
    #expect(read.sessions.map(\.challenge.nonce.text) == ["n1"] && read.sessions.map(\.uses) == [1])
    #expect(read.isTLSOnly && read.mayBeBound && read.refusals == 0)
  }

  private func whole() throws -> Registration {
    var driven = DrivenRegistration(options: ["path", "outbound"])
    driven.now = .ms(1_764_480_000_000)
    driven.proceedAndResolve()
    try driven.answer(401, DrivenRegistration.challenge(nonce: "n1", ", opaque=\"o\", algorithm=MD5"))
    let more = "\nService-Route: <sip:s;lr>\nP-Associated-URI: <sip:b@e>, <tel:+1>\nPath: <sip:p;lr>"
    try driven.answer(200, driven.ok + more)
    return driven.machine
  }

  @Test func whatTheNextVersionAddsIsSkipped() throws {
    let registration = try whole()
    var writer = RecordWriter()
    writer.write(99, "later")
    let read = try Registration(
      record: registration.record + writer.bytes, credentials: registration.credentials, random: Self.random)
    #expect(read == normalised(registration))
  }

  @Test func spoiltRegistrationsDoNotTrap() throws {
    let registration = try whole()
    for count in registration.record.indices {
      _ = try? Registration(record: registration.record.prefix(count), credentials: registration.credentials, random: Self.random)
    }
    #expect(throws: RecordError.self) {
      try Registration(record: registration.record.dropLast(), credentials: registration.credentials, random: Self.random)
    }
    var spoiler = Spoiler(seed: 1)
    var driven = DrivenRegistration()
    for _ in 0..<3000 {
      let spoilt = spoiler.spoil(registration.record)
      guard let read = try? Registration(record: spoilt, credentials: registration.credentials, random: Self.random) else { continue }
      driven.machine = read
      driven.now = .distantFuture
      if driven.machine.phase == .new { driven.proceed() } else { driven.step { $0.deadlineReached(now: $1) } }
      driven.resolve()
      if driven.request != nil { try driven.answer(200, driven.ok) }
      _ = driven.machine.record
    }
  }

  @Test func size() throws {
    var driven = DrivenRegistration(options: ["path"])
    driven.now = .ms(1_764_480_000_000)
    try driven.register()
    #expect(driven.machine.record.count < 360)
  }
}
