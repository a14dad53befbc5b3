import Foundation
import Primitives
import TestKit
import Testing

@testable import Node

@Test func aClusterBegins() async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let out = "\(folder)/cluster"
  let outcome = try await Program.run(
    Program.ringhold, ["cluster", "init", "--nodes", "a,b,c", "--out", out, "--hosts", "a=10.0.0.1,c=2001:db8::3"], environment: [:])
  #expect(outcome.status == 0, "\(outcome.output)")
  for node in ["a", "b", "c"] { try await checkNode(node, in: out) }
  #expect(try mode("\(out)/cluster-ca.key") == 0o600)
  #expect(try mode("\(out)/redis-password") == 0o600)
  let password = try String(contentsOfFile: "\(out)/redis-password", encoding: .utf8)
  #expect(try String(contentsOfFile: "\(out)/b/redis.env", encoding: .utf8) == "RINGHOLD_REDIS_PASSWORD=" + password)
  #expect(!outcome.output.contains(password.dropLast()), "no secret on the screen")
  #expect(outcome.output.contains("peers_listen: \"10.0.0.1:7443\"") && outcome.output.contains("peers_listen: \"[2001:db8::3]:7443\""))
  let keys = try ["a", "b", "c"].map { try String(contentsOfFile: "\(out)/\($0)/cluster.key", encoding: .utf8) }
  #expect(Set(keys).count == 1)
  #expect(keys[0].wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
}

private func checkNode(_ node: String, in out: String) async throws {
  for (file, wanted) in [("node.key", 0o600), ("cluster.key", 0o600), ("redis.env", 0o600)] {
    #expect(try mode("\(out)/\(node)/\(file)") == wanted)
  }
  for purpose in ["sslserver", "sslclient"] {
    let verdict = try await Program.run(
      "/usr/bin/openssl",
      ["verify", "-CAfile", "\(out)/cluster-ca.pem", "-purpose", purpose, "-verify_hostname", node, "\(out)/\(node)/node.pem"])
    #expect(verdict.status == 0, "\(verdict.output)")
  }
}

private func mode(_ path: String) throws -> Int? {
  try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

@Test func aClusterIsNeverMadeOverAnother() async throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let arguments = ["cluster", "init", "--nodes=a", "--out=\(folder)/c"]
  #expect(try await Program.run(Program.ringhold, arguments, environment: [:]).status == 0)
  let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/c/cluster-ca.key"))
  let again = try await Program.run(Program.ringhold, arguments, environment: [:])
  #expect(again.status == 1)
  #expect(again.output == "ringhold: \(folder)/c is not empty; nothing was written\n")
  #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/c/cluster-ca.key")) == before)
}

@Test(
  arguments: [
    (["cluster"], "ringhold: 'cluster' needs to be told what: init"),
    (["cluster", "int"], "ringhold: 'cluster' cannot 'int', did you mean 'init'?"),
    (["cluster", "init", "--out", "x"], "ringhold: 'cluster init' needs --nodes"),
    (["cluster", "init", "--nodes", "a"], "ringhold: 'cluster init' needs --out"),
    (["cluster", "init", "--nodes", "a,B", "--out", "x"], "ringhold: 'B' is no name of a node: 1 to 32 of a-z, 0-9 and -"),
    (["cluster", "init", "--nodes", "a,", "--out", "x"], "ringhold: '' is no name of a node: 1 to 32 of a-z, 0-9 and -"),
    (["cluster", "init", "--nodes", "a,a", "--out", "x"], "ringhold: a node is there twice"),
    (["cluster", "init", "--nodes", "a", "--out", "x", "--hosts", "b=10.0.0.1"], "ringhold: there is no node 'b'"),
    (["cluster", "init", "--nodes", "a", "--out", "x", "--hosts", "a=host"], "ringhold: 'a=host' is not NODE=ADDRESS"),
    (["cluster", "init", "--nodes", "a", "--out", "x", "--hosts", "a=::1,a=::1"], "ringhold: 'a' has two addresses"),
  ] as [([String], String)])
func aClusterThatCannotBegin(arguments: [String], line: String) async throws {
  let outcome = try await Program.run(Program.ringhold, arguments, environment: [:])
  #expect(outcome.status == 64)
  #expect(outcome.output == line + "\n")
}

/// The lines that are shown, and the files that they name, make a node.
@Test func theShownLinesAreAConfiguration() throws {
  let temporary = try TemporaryFolder()
  let folder = temporary.path
  let files = ClusterFiles(try ClusterPlan(nodes: "a,b", hosts: "a=127.0.0.1"))
  try files.write(into: "\(folder)/c")
  let path = "\(folder)/c/a/ringhold.yaml"
  try Data(ClusterFiles.configuration(of: files.plan.nodes[0]).utf8).write(to: URL(fileURLWithPath: path))
  let configuration = try Configuration.load(file: path, environment: [:])
  #expect(configuration.node.name == "a")
  #expect(configuration.node.peersListen?.text == "127.0.0.1:7443")
  _ = try PeerCertificates(configuration.node)
  let other = try Configuration.load(file: path, environment: ["RINGHOLD_NODE_NAME": "b"])
  let error = #expect(throws: StartError.self) { _ = try PeerCertificates(other.node) }
  #expect(error?.description == "node.certificate: it does not name the node b")
  try ClusterFiles(files.plan).write(into: "\(folder)/another")
  let foreign = try Configuration.load(file: path, environment: ["RINGHOLD_NODE_CA": "\(folder)/another/cluster-ca.pem"])
  let distrust = #expect(throws: StartError.self) { _ = try PeerCertificates(foreign.node) }
  #expect(distrust?.description.hasPrefix("node.certificate: peers would refuse it (unknown-authority)") == true)
}
