import Cryptography
import Foundation
import Network
import Primitives

/// An authority, and the certificate that a Redis or a Sentinel on 127.0.0.1 shows, in a folder.
struct Certificates {
  private let authority: CertificateAuthority
  private let folder: URL

  init() throws {
    authority = try CertificateAuthority(commonName: "test")
    folder = FileManager.default.temporaryDirectory.appending(path: "ringhold-tls-\(UUID().uuidString)")
    let (certificate, key) = try authority.issue(names: ["redis.test"], addresses: [.loopbackIPv4])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, pem) in [("c.pem", certificate), ("k.pem", key), ("ca.pem", authority.certificatePEM)] {
      try Data(pem).write(to: folder.appending(path: name))
    }
  }

  /// TLS on this port, and nothing else.
  func arguments(_ port: UInt16) -> [String] {
    [
      "--port", "0", "--tls-port", "\(port)", "--tls-cert-file", "\(folder.path)/c.pem", "--tls-key-file", "\(folder.path)/k.pem",
      "--tls-ca-cert-file", "\(folder.path)/ca.pem", "--tls-auth-clients", "no",
    ]
  }

  /// Trusts the authority.
  var client: TLSContext {
    get throws { try .client(trust: .pem(authority.certificatePEM), alpn: []) }
  }

  func end() { try? FileManager.default.removeItem(at: folder) }
}
