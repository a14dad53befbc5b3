import Cryptography
import Foundation
import Primitives

/// A folder for one measurement: certificates, keys and the configuration of servers between their stand-ins.
final class Workplace {
  /// Addresses of this machine that nothing else uses.
  static let provider = "127.0.0.60"
  static let server = "127.0.0.61"
  static let pushService = "127.0.0.62"
  static let redis = "127.0.0.65"

  /// The nodes of a cluster, from 0.
  static func node(_ number: Int) -> String { "127.0.0.\(71 + number)" }

  /// Each provider has an address, and so a pacing, of its own.
  static func providers(_ count: Int) -> [String] { count == 1 ? [provider] : (0..<count).map { "127.0.60.\($0 + 1)" } }

  static let mostProviders = 250

  let folder: String
  let certificate: Bytes
  let key: Bytes

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "ringhold-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
    let addresses = ([Self.server, Self.pushService] + (0..<Layout.mostNodes).map(Self.node)).compactMap { IPAddress($0) }
    (certificate, key) = try SelfSignedCertificate.make(names: ["localhost"], addresses: addresses)
    try write(certificate, "certificate.pem")
    try write(key, "key.pem")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { folder + "/" + name }

  func write(_ bytes: Bytes, _ name: String) throws {
    let isWritten = FileManager.default.createFile(atPath: path(name), contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    guard isWritten else { throw Trouble("\(name) cannot be written") }
  }

  func read(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// The certificate vouches for itself, to phones as to the server; the key signs for the push service too.
  func writeConfiguration(_ name: String, at address: String = Workplace.server, pushPort: UInt16, more: String = "") throws {
    let text = """
      server_name: localhost
      https: {listen: ["\(address):8443"], certificate: certificate.pem, key: key.pem}
      admin: {listen: "\(address):9090"}
      sip:
        listen: {udp: "\(address):5060"}
        allow_networks: ["127.0.0.0/8"]
      push:
        apns: {key: key.pem, key_id: BENCHMARK1, team_id: BENCHMARK2, url: "https://\(Self.pushService):\(pushPort)", ca: certificate.pem}
      \(more)
      """
    try write(Bytes(text.utf8), name)
  }

  /// A file beside this one.
  static func scenario(_ name: String) -> String { tests.appending(path: "Benchmarks/Scenario/\(name)").path }

  /// What an operator's Redis runs with.
  static let redisConfiguration = tests.deletingLastPathComponent().appending(path: "cluster/redis/redis.conf").path

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
}
