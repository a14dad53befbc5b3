import Cryptography
import Foundation
import Primitives

/// A folder for one measurement: certificates, keys and the configuration of a server between its stand-ins.
final class Workplace {
  /// Addresses of this machine that nothing else uses.
  static let provider = "127.0.0.60"
  static let server = "127.0.0.61"
  static let pushService = "127.0.0.62"

  let folder: String
  let certificate: Bytes
  let key: Bytes

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "ringhold-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    folder = url.path
    let addresses = [Self.server, Self.pushService].compactMap { IPAddress($0) }
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

  /// The certificate vouches for itself, to phones as to the server; the key signs for the push service too.
  func writeConfiguration(pushPort: UInt16) throws {
    let text = """
      server_name: localhost
      https: {listen: ["\(Self.server):8443"], certificate: certificate.pem, key: key.pem}
      admin: {listen: "\(Self.server):9090"}
      sip:
        listen: {udp: "\(Self.server):5060"}
        allow_networks: ["127.0.0.0/8"]
      push:
        apns: {key: key.pem, key_id: BENCHMARK1, team_id: BENCHMARK2, url: "https://\(Self.pushService):\(pushPort)", ca: certificate.pem}
      """
    try write(Bytes(text.utf8), "ringhold.yaml")
  }

  /// A file beside this one.
  static func scenario(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Scenario/\(name)").path
  }
}
