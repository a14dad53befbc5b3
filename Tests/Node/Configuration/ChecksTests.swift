import Foundation
import Primitives
import Testing

@testable import Node

private let now = Instant.ms(1_800_000_000_000)
private let good = CheckTools.Certificate(notBefore: .zero, notAfter: now + .seconds(90 * 86_400), fitsKey: true, coversName: true)

private func tools(_ certificate: CheckTools.Certificate? = good, at time: Instant = now) -> CheckTools {
  CheckTools(
    certificate: { _, _, _ in certificate }, isTrustStore: { $0.text == "ca" }, isP256Key: { $0.text == "p256" },
    addresses: { $0 == "localhost" ? [.loopbackIPv4] : [] }, redisTrouble: { _ in nil }, now: { time })
}

/// The lines about `subject`.
private func lines(_ text: String, _ tools: CheckTools = tools(), about subject: String) async throws -> [String] {
  await Checks(try read(text), tools: tools).run().map(\.line).filter { $0.contains(subject) }
}

/// A file for as long as a test needs it; nobody else may read it.
private func withFile<Value>(_ text: String, _ body: (String) async throws -> Value) async throws -> Value {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("ringhold-\(UUID().uuidString)")
  try Data(text.utf8).write(to: url)
  defer { try? FileManager.default.removeItem(at: url) }
  try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
  return try await body(url.path)
}

@Test func theEmbeddedDefaultHasNoErrors() async throws {
  let findings = await Checks(try read(""), tools: tools()).run()
  #expect(!findings.contains { $0.severity == .error })
  #expect(findings.map(\.line).contains("ok       server_name: localhost is 127.0.0.1"))
  #expect(findings.map(\.line).contains("ok       admin.listen: 127.0.0.1:9090"))
}

@Test(
  arguments: [
    (good, "ok       https.certificate: names localhost, valid for 90 more days"),
    (
      .init(notBefore: .zero, notAfter: now + .seconds(86_400), fitsKey: true, coversName: true),
      "warning  https.certificate: names localhost, valid for 1 more days"
    ),
    (.init(notBefore: .zero, notAfter: now, fitsKey: true, coversName: true), "error    https.certificate: it has expired"),
    (
      .init(notBefore: now + .seconds(1), notAfter: .distantFuture, fitsKey: true, coversName: true),
      "error    https.certificate: it is not valid yet"
    ),
    (
      .init(notBefore: .zero, notAfter: .distantFuture, fitsKey: false, coversName: true),
      "error    https.certificate: the key is not the certificate's"
    ),
    (
      .init(notBefore: .zero, notAfter: .distantFuture, fitsKey: true, coversName: false),
      "error    https.certificate: it does not name localhost"
    ),
    (nil, "error    https.certificate: the certificate or its key is no PEM"),
  ] as [(CheckTools.Certificate?, String)])
func aCertificateIsJudged(certificate: CheckTools.Certificate?, line: String) async throws {
  try await withFile("x") { path in
    let found = try await lines("https: {certificate: \(path), key: \(path)}", tools(certificate), about: "https.certificate")
    #expect(found == [line])
  }
}

@Test func aFileThatIsNotThereIsAnError() async throws {
  let found = try await lines("https: {certificate: /nowhere/c, key: /nowhere/k}", about: "https.certificate")
  #expect(found == ["error    etc/r.yaml:1: https.certificate: '/nowhere/c': there is no such file"])
}

@Test func thePushKeyMustBeOnP256() async throws {
  for (text, severity) in [("p256", "ok"), ("rsa", "error")] {
    try await withFile(text) { path in
      let found = try await lines("push: {apns: {key: \(path), key_id: ABC123DEFG, team_id: DEF123GHIJ}}", about: "push.apns")
      #expect(found.count == 1 && found[0].hasPrefix(severity))
    }
  }
}

@Test func otherPeopleShouldNotReadKeys() async throws {
  try await withFile("p256") { path in
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let found = try await lines("push: {apns: {key: \(path), key_id: ABC123DEFG, team_id: DEF123GHIJ}}", about: "every user")
    #expect(found == ["warning  etc/r.yaml:1: push.apns.key: every user of this machine can read \(path)"])
  }
}

@Test(arguments: ["0.0.0.0:9090", "192.0.2.1:9090", "[2001:db8::1]:9090"]) func aPublicAdminAddressIsToldOf(address: String) async throws {
  let found = try await lines("admin: {listen: \"\(address)\"}", about: "admin.listen")
  #expect(found == ["warning  admin.listen: \(address) may be reached from outside: it has no password and no TLS"])
}

@Test func namesMustResolve() async throws {
  #expect(try await lines("server_name: a.example", about: "server_name")[0].hasPrefix("warning"))
  let url = "push: {apns: {key: /nowhere, key_id: A, team_id: B, url: \"https://a.example\"}}"
  #expect(try await lines(url, about: "push.apns.url") == ["error    push.apns.url: a.example has no address"])
}

@Test func theClockMustBeSane() async throws {
  #expect(try await lines("", tools(at: .ms(1)), about: "clock:")[0].hasPrefix("error"))
  #expect(try await lines("", about: "clock:") == ["ok       clock: 2027-01-15T08:00:00.000Z; phones allow it to be 60 s off"])
}

@Test func whatIsNotServedIsToldOf() async throws {
  #expect(try await lines("state: redis", about: "state:") == [])
  #expect(try await lines("trunks: [{a: 1}]", about: "trunks:") == ["error    trunks: this version serves none"])
}
