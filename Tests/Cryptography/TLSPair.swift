import Cryptography
import Primitives

/// A client and a server that are joined by nothing but memory.
struct TLSPair {
  let client: TLSSession
  let server: TLSSession
  var clientEvents: [TLSSession.Event] = []
  var serverEvents: [TLSSession.Event] = []

  init(client: TLSContext, identity: ServerIdentity, server: TLSContext) {
    self.client = TLSSession(client, role: .client(identity))
    self.server = TLSSession(server, role: .server)
  }

  /// A server with a certificate of a new authority that the client trusts.
  init(
    names: [String] = ["sip.example.net"], addresses: [IPAddress] = [], identity: ServerIdentity = ServerIdentity(host: "sip.example.net"),
    offers: [String] = [], speaks: [String] = []
  ) throws {
    let authority = try CertificateAuthority(commonName: "Test authority")
    let (certificate, key) = try authority.issue(names: names, addresses: addresses)
    self.init(
      client: try .client(trust: .pem(authority.certificatePEM), alpn: offers), identity: identity,
      server: try .server(certificatePEM: certificate, keyPEM: key, alpn: speaks))
  }

  /// Carries bytes, `piece` at a time, until both are silent.
  mutating func run(piece: Int = .max) throws(TLSError) {
    while client.pendingCount + server.pendingCount > 0 {
      for part in parts(client.pendingCiphertext(), piece) { serverEvents += try server.receive(part) }
      for part in parts(server.pendingCiphertext(), piece) { clientEvents += try client.receive(part) }
    }
  }

  private func parts(_ bytes: Bytes, _ size: Int) -> [Slice] {
    stride(from: 0, to: bytes.count, by: min(size, max(bytes.count, 1))).map { bytes[$0...].prefix(size) }
  }
}

extension [TLSSession.Event] {
  /// All plaintext in one piece.
  var plaintext: Bytes {
    flatMap { event in
      guard case .plaintext(let bytes) = event else { return Bytes() }
      return bytes
    }
  }
}
