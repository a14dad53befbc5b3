import Foundation
import HTTP
import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit
import Testing

/// A whole story at the most talkative log level. Nothing that it prints tells who calls whom.
@LoopActor
@Suite struct PrivacyTests {
  @Test(arguments: ["text", "json"]) func nothingThatIsPrintedTellsWhoCallsWhom(_ format: String) async throws {
    try await ServedSite.with(log: ("debug", format)) { site in
      var story = try Story(site, user: "secretive-\(format)")
      try await story.play()
      kill(site.program.id, SIGHUP)
      #expect(await site.program.prints("were read again"))
      let page = try await site.setting.page("/metrics")
      try await expectPromtoolIsContent(with: page)
      #expect(await site.stop() == 0)

      let log = site.program.output
      for line in ["call held", "call answered", "call ended", "call declined", "caller hung up", "INVITE rejected", "account left"] {
        #expect(log.contains(line), "the story has no '\(line)'")
      }
      if format == "json" { expectJSON(log) }
      expectOneCallCanBeFollowed(log)
      for secret in story.secrets {
        for (name, text) in [("log", log), ("metrics", page), ("problems", story.problems.joined(separator: "\n"))] {
          #expect(!secret.occurs(in: text), "the \(name) tell the \(secret.name) '\(secret.text)'")
        }
      }
      #expect(story.problems.count >= 8)
    }
  }

  private func expectJSON(_ log: String) {
    for line in log.split(separator: "\n") {
      #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
    }
  }

  /// The lines of a call have one word in common that those of other calls do not have.
  private func expectOneCallCanBeFollowed(_ log: String) {
    let held = log.split(separator: "\n").filter { $0.contains("call held") }.compactMap(callID)
    let answered = log.split(separator: "\n").filter { $0.contains("call answered") }.compactMap(callID)
    #expect(held.count == Set(held).count && held.count >= 3)
    #expect(!answered.isEmpty && Set(answered).isSubset(of: held))
  }

  private func callID(_ line: Substring) -> String? {
    line.firstMatch(of: /"?call"?[=:]"?([0-9a-f]+)/).map { String($0.1) }
  }
}

/// Everything that can happen to one account on one node, and all that must not be told of it.
@LoopActor
struct Story {
  struct Secret {
    let name: String
    let text: String

    /// In whatever case. An address that another one begins with is not that one.
    func occurs(in printed: String) -> Bool {
      printed.lowercased().split(separator: text.lowercased(), omittingEmptySubsequences: false).dropFirst().contains {
        text.last?.isNumber != true || $0.first?.isNumber != true
      }
    }
  }

  private let site: ServedSite
  private let one: Handset
  private let other: Handset
  private let curl: Curl
  private(set) var problems: [String] = []
  private(set) var secrets: [Secret] = []

  private static let name = "Zacharias Quillfeather"
  private static let number = "+4930987654321"

  init(_ site: ServedSite, user: String) throws {
    self.site = site
    one = try site.phone(of: user)
    other = try site.phone(of: user)
    curl = Curl(site.setting, one)
    let account = one.account(over: .tls)
    secrets = [
      Secret(name: "number", text: "30987654321"), Secret(name: "name", text: "Quillfeather"), Secret(name: "name", text: "Zacharias"),
      Secret(name: "user", text: user), Secret(name: "password", text: Provider.password(of: user)),
      Secret(name: "HA1", text: account.credentials[0].ha1), Secret(name: "registrar", text: site.provider.address.text),
      Secret(name: "domain", text: Provider.domain), Secret(name: "push token", text: one.token),
      Secret(name: "push token", text: other.token),
      Secret(name: "topic", text: Handset.topic), Secret(name: "device", text: one.phone.id), Secret(name: "device", text: other.phone.id),
      Secret(name: "device's name", text: "Test phone"), Secret(name: "key", text: one.phone.keys.sign.x),
      Secret(name: "SDP", text: "m=audio"),
      Secret(name: "SDP", text: "o=caller"), Secret(name: "SDP", text: "o=phone"), Secret(name: "SDP", text: "a=rtpmap"),
    ]
  }

  mutating func play() async throws {
    try await registrations()
    try await calls()
    try await mistakes()
    try await one.client.remove()
    try await other.client.remove()
    _ = try await site.provider.bindings(of: one.user, reach: 0)
  }

  private mutating func registrations() async throws {
    #expect(try await one.setUp(over: .tls).registration.state == .registered)
    #expect(try await other.setUp(over: .tls).registration.state == .registered)
    let contact = try #require(try await site.provider.bindings(of: one.user).first?.contact)
    let token = try #require(contact.dropFirst(4).split(separator: "@").first)
    secrets.append(Secret(name: "Contact", text: String(token)))
    // Accounts that the provider does not want, that it cannot check, that it cannot be found for.
    for (user, registrar) in [("barred-x", nil), ("later-x", nil), ("lost-x", Loopback.address().text), ("lost-y", "nowhere.calls.test")] {
      let phone = try site.phone(of: user)
      _ = try await phone.setUp(phone.account(over: .tcp, registrar: registrar))
      if let registrar { secrets.append(Secret(name: "registrar", text: registrar)) }
      secrets.append(Secret(name: "user", text: user))
    }
    let needy = try site.phone(of: "needy-x")
    _ = try await needy.setUp(needy.account(over: .udp, algorithm: .sha256))
  }

  private func call(_ scenario: Scenario) throws -> Caller {
    try site.call(one.user, Scenario(scenario.steps, name: Self.name, number: Self.number))
  }

  private func calls() async throws {
    let answered = try call(.talks(for: 300))
    try await one.rings()
    try await other.rings()
    #expect(await (try call(.isRefused(486))).complaint() == nil)
    try await one.answer()
    #expect(try await one.ending() == .hungUp)
    #expect(await answered.complaint() == nil)
    #expect(await other.stopped() == [.answeredElsewhere])

    let listens = try call(.listens)
    try await other.rings(2)
    try await other.answer()
    try await other.client.hangUp(.one)
    #expect(await listens.complaint() == nil)

    let declined = try call(.rings(until: 603))
    try await one.rings(3)
    try await one.client.decline()
    #expect(await declined.complaint() == nil)
    #expect(await (try call(.givesUp(after: 500))).complaint() == nil)
  }

  /// Whatever is wrong is full of what is secret.
  private mutating func mistakes() async throws {
    for request in [
      PhoneRequest.fetch(.one, .answer), .decline, .hangUp(.two), .removeDevice(id: String(other.phone.id.reversed())),
      .answer(.one, sdp: Handset.sdp, confirm: true), .status(.two, after: 0, wait: 0), .dtmf(.one, digits: "1", durationMS: 100),
    ] { problems.append(try await curl.send(request)) }
    var spoilt = curl.signed(.setUp(curl.setUpBody))
    spoilt.fields.set("signature-input", to: "sig=" + one.phone.id)
    problems.append(try await curl.send(spoilt))
    spoilt.path = "/v1/\(one.token)/\(Self.number.dropFirst())"
    problems.append(try await curl.send(spoilt))
    spoilt.path = "/v1/setup"
    spoilt.body = Array(#"{"account":{"\#(one.user)":"\#(Self.number)","registrar":"\#(site.provider.address.text) m=audio"}}"#.utf8)
    problems.append(try await curl.send(spoilt))
    problems.append(try await curl.send(curl.signed(.setUpState, created: 1)))
    try await badSIP()
  }

  private func badSIP() async throws {
    let peer = try RawDatagrams(to: site.setting.sip)
    let text = options(callID: Self.number + one.user, from: anyPort, over: "UDP").text.replacing("tester", with: one.user)
    for bad in [
      text.replacing("CSeq: 1", with: "CSeq: " + Self.number), text.replacing("OPTIONS", with: "INVITE"),
      text.replacing("Max-Forwards: 70", with: "Max-Forwards: Zacharias Quillfeather"), "SIP/2.0 " + one.token,
    ] { peer.send(Array(bad.utf8)) }
    #expect(await peer.isServed())
    peer.close()
  }
}
