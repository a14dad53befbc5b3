import Foundation
import TestKit
import Testing

@Test(
  arguments: [
    (["phone"], 64, "ringhold: which command? 'ringhold help phone' lists them"),
    (["phone", "--help"], 0, "usage: ringhold phone COMMAND [options]"),
    (["help", "phone"], 0, "usage: ringhold phone COMMAND [options]"),
    (["help", "phone", "state"], 0, "usage: ringhold phone state --keys FILE [--server URL]"),
    (["phone", "ring", "-h"], 0, "usage: ringhold phone ring --keys FILE --push-listen ADDRESS:PORT"),
    (["phone", "rnig"], 64, "ringhold: there is no command 'phone rnig', did you mean 'ring'?"),
    (["phone", "state"], 64, "ringhold: 'phone state' needs --keys FILE: the phone's secret keys"),
    (["phone", "state", "--keys", "/nowhere"], 66, "ringhold: /nowhere: there is no such file; 'ringhold phone setup' makes"),
    (["phone", "state", "--keys", "/dev/null", "--address", "1"], 64, "ringhold: --address must be ADDRESS:PORT"),
    (["phone", "state", "--keys", "k", "--ca", "/nowhere"], 66, "ringhold: /nowhere: there is no such file"),
    (["phone", "state", "--keys", "k", "now"], 64, "ringhold: 'now' is one word too many"),
    (["phone", "setup", "--keys", "k", "--registrar", "r"], 64, "ringhold: 'phone setup' needs --user USER"),
    (["phone", "setup", "--keys", "k", "--password", "p"], 64, "ringhold: 'phone setup' has no option '--password'"),
  ] as [([String], Int32, String)])
func aPhonesCommandLine(arguments: [String], status: Int32, firstLine: String) async throws {
  let outcome = try await Program.run(Program.ringhold, arguments, environment: [:])
  #expect(outcome.status == status)
  #expect(outcome.lines.first?.hasPrefix(firstLine) == true, "\(outcome.output)")
}

/// Nobody listens at port 1: what comes before the network is what is tried here.
private let nowhere = ["--server", "https://127.0.0.1:1"]
private let account = ["--registrar", "192.0.2.1", "--user", "alice"]

@Test func keysAreMadeOnceForTheirOwnerOnly() async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let keys = "\(folder)/keys"
  let probe = ["phone", "probe", "--keys", keys] + nowhere + account
  let first = try await Program.run(Program.ringhold, probe + ["--curve", "p256"], environment: [:])
  #expect(first.status == 69)
  #expect(first.output == "ringhold: no connection to the server: refused\n")
  #expect(try FileManager.default.attributesOfItem(atPath: keys)[.posixPermissions] as? Int == 0o600)
  let made = try Data(contentsOf: URL(fileURLWithPath: keys))
  #expect(try await Program.run(Program.ringhold, probe, environment: [:]).status == 69)
  #expect(try Data(contentsOf: URL(fileURLWithPath: keys)) == made)
}

@Test(arguments: [
  (0o644, "AQ==", "others than its owner have access"), (0o640, "AQ==", "others than its owner have access"),
  (0o600, "AQ==", "these are no keys of a phone"), (0o600, "", "these are no keys of a phone"),
])
func otherFilesAreNoKeys(mode: Int, text: String, complaint: String) async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let keys = "\(folder)/keys"
  try Data(text.utf8).write(to: URL(fileURLWithPath: keys))
  try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keys)
  let outcome = try await Program.run(Program.ringhold, ["phone", "state", "--keys", keys] + nowhere, environment: [:])
  #expect(outcome.status == 66)
  #expect(outcome.output.contains(complaint), "\(outcome.output)")
}

@Test(
  arguments: [
    (["setup"] + account, ["RINGHOLD_PASSWORD": ""], 64, "RINGHOLD_PASSWORD is empty"),
    (["setup"] + account, ["RINGHOLD_PASSWORD": "p"], 69, "no connection to the server: refused"),
    (["setup"] + account + ["--transport", "tpc"], [:], 64, "--transport must be one of auto, tls, tcp, udp"),
    (["setup"] + account + ["--expires", "59"], ["RINGHOLD_PASSWORD": "p"], 64, "--expires must be a number from 60 to 86400"),
    (["probe"] + account + ["--curve", "p384"], [:], 64, "--curve must be curve25519 or p256"),
    (["ring", "--push-listen", "x", "--push-folder", "f", "--decline"], [:], 64, "--push-listen must be ADDRESS:PORT"),
    (["ring", "--push-listen", "x", "--push-folder", "f", "--decline", "--answer"], [:], 64, "--answer and --decline exclude each other"),
    (["ring", "--push-listen", "x", "--push-folder", "f"], [:], 64, "where to is sound to be sent?"),
  ] as [([String], [String: String], Int32, String)])
func whatAPhoneIsToldIsChecked(arguments: [String], environment: [String: String], status: Int32, complaint: String) async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let outcome = try await Program.run(
    Program.ringhold, ["phone"] + arguments + ["--keys", "\(folder)/keys"] + nowhere, environment: environment)
  #expect(outcome.status == status)
  #expect(outcome.lines.count == 1 && outcome.output.hasPrefix("ringhold: \(complaint)"), "\(outcome.output)")
}

@Test(arguments: [
  ["--line", "3"], ["--line", "0"], ["--line", "one"], ["--wait", "26"], ["--after", "-1"],
])
func numbersHaveLimits(_ option: [String]) async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let keys = ["--keys", "\(folder)/keys"]
  _ = try await Program.run(Program.ringhold, ["phone", "probe"] + keys + nowhere + account, environment: [:])
  let outcome = try await Program.run(Program.ringhold, ["phone", "status"] + keys + nowhere + option, environment: [:])
  #expect(outcome.status == 64)
  #expect(outcome.output.hasPrefix("ringhold: \(option[0]) must be a number from "), "\(outcome.output)")
}
