import Cryptography
import Demo
import Network
import Primitives
import TestKit

/// What a server is told: a configuration file with the files that it names, and addresses that nobody else uses.
@LoopActor
struct Setting {
  let folder: TemporaryFolder
  /// The configuration.
  let file: String
  private let address = Loopback.address()

  /// One node of a cluster: what it shares with the others.
  struct Membership {
    let name: String
    /// What `ringhold cluster init` wrote for it.
    let files: String
    let redis: SocketAddress
  }

  /// - Parameters:
  ///   - log: level and format.
  ///   - membership: nil for a single node.
  init(push: PushStandIn, log: (level: String, format: String) = ("debug", "text"), membership: Membership? = nil) throws {
    folder = try TemporaryFolder()
    let authority = try Site.authority.get()
    let identity = try authority.issue(names: ["localhost"], addresses: [address])
    try folder.write("server.pem", identity.certificatePEM)
    try folder.write("server.key", identity.keyPEM)
    try folder.write("authority.pem", authority.certificatePEM)
    try folder.write("push.p8", push.keyPEM)
    try folder.write("push-authority.pem", push.authority.certificatePEM)
    let host = address.text
    file = try folder.write(
      "ringhold.yaml",
      """
      server_name: localhost
      https: {listen: ["\(host):8443"], certificate: server.pem, key: server.key}
      admin: {listen: "\(host):9090"}
      sip:
        listen: {udp: "\(host):5060", tcp: "\(host):5060", tls: "\(host):5061"}
        provider_ca: authority.pem
        allow_networks: ["127.0.0.0/8"]
      push:
        apns: {key: push.p8, key_id: \(push.keyID), team_id: \(push.teamID), url: "\(push.url)", ca: push-authority.pem}
      log: {level: \(log.level), format: \(log.format)}

      """ + (membership?.text(host: host) ?? ""))
  }

  var https: SocketAddress { SocketAddress(ip: address, port: 8443) }
  var sip: SocketAddress { SocketAddress(ip: address, port: 5060) }
  var sips: SocketAddress { SocketAddress(ip: address, port: 5061) }
  var trusted: String { folder.path("authority.pem") }
  var admin: String { "http://\(address.text):9090" }

  /// A path of the admin listener, asked for by curl: head and body.
  func page(_ path: String) async throws -> String {
    try await Program.run("/usr/bin/curl", ["-sS", "-i", "--max-time", "10", admin + path]).output
  }
}

extension Setting.Membership {
  /// `ringhold cluster init` for these nodes.
  @LoopActor
  static func made(of names: [String], in secrets: TemporaryFolder, redis: SocketAddress) async throws -> [Self] {
    let folder = secrets.path("cluster")
    let made = try await Program.run(
      Program.ringhold, ["cluster", "init", "--nodes", names.joined(separator: ","), "--out", folder], environment: [:])
    guard made.status == 0 else { throw Unexpected(expected: "secrets", came: made.output) }
    return names.map { Self(name: $0, files: "\(folder)/\($0)", redis: redis) }
  }

  fileprivate func text(host: String) -> String {
    """
    state: redis
    redis: {url: "redis://\(redis.text)"}
    node:
      {name: \(name), peers_listen: "\(host):7443", certificate: \(files)/node.pem, key: \(files)/node.key, ca: \(files)/cluster-ca.pem,
       cluster_key: \(files)/cluster.key}

    """
  }
}
