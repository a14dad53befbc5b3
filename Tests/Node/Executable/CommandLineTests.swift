import TestKit
import Testing

@Test(
  arguments: [
    (["help"], 0, "usage: ringhold COMMAND [options]"), (["--help"], 0, "usage: ringhold COMMAND [options]"),
    (["check", "-h"], 0, "usage: ringhold check [--config FILE]"), (["--version"], 0, "ringhold "), (["version"], 0, "ringhold "),
    ([], 64, "ringhold: which command? 'ringhold help' lists them"),
    (["chek"], 64, "ringhold: there is no command 'chek', did you mean 'check'?"),
    (["check", "--cofnig=a"], 64, "ringhold: 'check' has no option '--cofnig', did you mean '--config'?"),
    (["check", "--config"], 64, "ringhold: --config needs FILE"),
    (["check", "--config=a", "--config", "a"], 64, "ringhold: --config is there twice"),
    (["check", "--", "--config"], 64, "ringhold: '--config' is one word too many"),
    (["check", "--config", "/nowhere"], 78, "ringhold: /nowhere: there is no such file"),
  ] as [([String], Int32, String)])
func aCommandLine(arguments: [String], status: Int32, firstLine: String) async throws {
  let outcome = try await Program.run(Program.ringhold, arguments, environment: [:])
  #expect(outcome.status == status)
  #expect(outcome.lines.first?.hasPrefix(firstLine) == true, "\(outcome.output)")
}

@Test func aWrongVariableIsAnErrorOfTheConfiguration() async throws {
  let outcome = try await Program.run(Program.ringhold, ["check"], environment: ["RINGHOLD_ADMIN_LISTEN": "9090"])
  #expect(outcome.status == 78)
  #expect(outcome.lines.count == 1 && outcome.output.hasPrefix("ringhold: RINGHOLD_ADMIN_LISTEN: must be ADDRESS:PORT"))
}

/// With a certificate and keys that openssl made.
@Test func checkJudgesRealCertificates() async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let subject = ["-subj", "/CN=x", "-addext", "subjectAltName=DNS:localhost", "-days", "100"]
  try await openssl(
    [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(folder)/k.pem", "-out",
      "\(folder)/c.pem",
    ] + subject)
  try await openssl(["genpkey", "-algorithm", "RSA", "-out", "\(folder)/rsa.pem"])
  let text =
    "https: {certificate: c.pem, key: k.pem}\nsip: {provider_ca: c.pem}\npush: {apns: {key: k.pem, key_id: ABC123DEFG, team_id: DEF123GHIJ}}\n"
  try temporary.write("good.yaml", text)
  try temporary.write("bad.yaml", text.replacing("k.pem", with: "rsa.pem"))

  let good = try await Program.run(Program.ringhold, ["check", "--config", "\(folder)/good.yaml"], environment: [:])
  #expect(good.status == 0, "\(good.output)")
  #expect(good.output.contains("ok       https.certificate: names localhost, valid for 99 more days\n"))
  #expect(good.output.contains("ok       push.apns.key: a key on P-256\n"))
  let bad = try await Program.run(Program.ringhold, ["check", "--config", "\(folder)/bad.yaml"], environment: [:])
  #expect(bad.status == 78)
  #expect(bad.output.contains("error    https.certificate: the key is not the certificate's\n"))
  #expect(bad.output.contains("error    push.apns.key: no private key on P-256 in PEM\n"))
}

/// What `serve` does not start with is one line that names file, line, key and what is wrong.
@Test(
  arguments: [
    ("https: {certificate: c.pem, key: other.pem}", "c.pem': the key is not the certificate's", ":1: https.certificate: '"),
    ("log: {level: info}\nhttps: {certificate: text, key: k.pem}", "text': no certificate in PEM", ":2: https.certificate: '"),
    ("https: {certificate: missing, key: k.pem}", "missing': there is no such file", ":1: https.certificate: '"),
    ("sip: {provider_ca: text}", "text': no certificates in PEM", ":1: sip.provider_ca: '"),
    ("push: {apns: {key: text, key_id: ABC123DEFG, team_id: DEF123GHIJ}}", "text': no private key on P-256 in PEM", ":1: push.apns.key: '"),
  ])
func serveDoesNotStartWithout(what text: String, end: String, place: String) async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x"]
  try await openssl(["req", "-x509"] + key + ["-keyout", "\(folder)/k.pem", "-out", "\(folder)/c.pem"])
  try await openssl(["req", "-x509"] + key + ["-keyout", "\(folder)/other.pem", "-out", "\(folder)/d.pem"])
  try temporary.write("text", "hello\n")
  try temporary.write("r.yaml", text + "\nadmin: {listen: \"127.0.0.1:0\"}\n")
  let outcome = try await Program.run(
    Program.ringhold, ["serve", "--config", "\(folder)/r.yaml"], environment: ["RINGHOLD_SIP_LISTEN_UDP": "127.0.0.1:0"])
  let lines = outcome.output.split(separator: "\n")
  #expect(outcome.status == 78)
  #expect(lines.count == 1 && outcome.output.contains("r.yaml" + place), "\(outcome.output)")
  #expect(lines.first?.hasSuffix(end) == true, "\(outcome.output)")
}

private func openssl(_ arguments: [String]) async throws {
  let outcome = try await Program.run("/usr/bin/openssl", arguments)
  try #require(outcome.status == 0, "\(outcome.output)")
}
