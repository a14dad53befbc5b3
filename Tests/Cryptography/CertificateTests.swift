import Cryptography
import Primitives
import Testing

@Suite struct CertificateTests {
  @Test(arguments: [
    ServerIdentity(serverName: "sip.example.net", acceptedNames: ["example.net", "sip.example.net"]),
    ServerIdentity(serverName: nil, acceptedNames: ["SIP.Example.Net"]),
    ServerIdentity(serverName: nil, acceptedNames: ["a.wild.example.net"]),
    ServerIdentity(serverName: nil, acceptedNames: ["example.org"], acceptedAddress: IPAddress("192.0.2.7")),
    ServerIdentity(host: "2001:db8::7"),
  ])
  func accepted(identity: ServerIdentity) throws {
    var pair = try server(for: identity)
    try pair.run()
    #expect(pair.clientEvents == [.handshakeDone(alpn: nil)])
  }

  @Test(arguments: [
    ServerIdentity(serverName: "sip.example.net", acceptedNames: ["example.net"]),
    ServerIdentity(serverName: "sip.example.net", acceptedNames: []),
    ServerIdentity(serverName: "sip.example.net", acceptedNames: [""]),
    ServerIdentity(serverName: nil, acceptedNames: ["192.0.2.7"]),
    ServerIdentity(serverName: nil, acceptedNames: ["a.b.wild.example.net"]),
    ServerIdentity(serverName: nil, acceptedNames: ["ringhold"]),
    ServerIdentity(host: "192.0.2.8"),
  ])
  func wrongName(identity: ServerIdentity) throws {
    var pair = try server(for: identity)
    try pair.client.send("secret".utf8)
    #expect(throws: TLSError.certificate(.wrongName)) { try pair.run() }
    #expect(pair.serverEvents.plaintext.isEmpty)
  }

  private func server(for identity: ServerIdentity) throws -> TLSPair {
    try TLSPair(
      names: ["sip.example.net", "*.wild.example.net"], addresses: ["192.0.2.7", "2001:db8::7"].compactMap { IPAddress($0) },
      identity: identity)
  }

  @Test func unknownAuthority() throws {
    let other = try CertificateAuthority(commonName: "Other authority")
    #expect(throws: TLSError.certificate(.unknownAuthority)) { try handshake(trusting: .pem(other.certificatePEM)) }
    #expect(throws: TLSError.certificate(.unknownAuthority)) { try handshake(trusting: .system) }
  }

  private func handshake(trusting trust: TLSContext.Trust) throws {
    let (certificate, key) = try CertificateAuthority(commonName: "Test authority").issue(names: ["sip.example.net"])
    var pair = TLSPair(
      client: try .client(trust: trust, alpn: []), identity: ServerIdentity(host: "sip.example.net"),
      server: try .server(certificatePEM: certificate, keyPEM: key, alpn: []))
    try pair.run()
  }

  @Test(arguments: [
    (Duration.seconds(-7200)..<Duration.seconds(-3600), TLSError.CertificateProblem.expired),
    (Duration.seconds(3600)..<Duration.seconds(7200), .notYetValid),
  ])
  func outOfTime(validity: Range<Duration>, problem: TLSError.CertificateProblem) throws {
    let authority = try CertificateAuthority(commonName: "Test authority")
    let (certificate, key) = try authority.issue(names: ["sip.example.net"], validity: validity)
    var pair = TLSPair(
      client: try .client(trust: .pem(authority.certificatePEM), alpn: []), identity: ServerIdentity(host: "sip.example.net"),
      server: try .server(certificatePEM: certificate, keyPEM: key, alpn: []))
    #expect(throws: TLSError.certificate(problem)) { try pair.run() }
    #expect(throws: TLSError.alert(problem == .expired ? 45 : 42)) { try pair.server.receive(pair.client.pendingCiphertext()) }
  }

  @Test func selfSigned() throws {
    let (certificate, key) = try SelfSignedCertificate.make(names: ["localhost"], addresses: [.loopbackIPv4])
    for host in ["localhost", "127.0.0.1"] {
      var pair = TLSPair(
        client: try .client(trust: .pem(certificate), alpn: []), identity: ServerIdentity(host: host),
        server: try .server(certificatePEM: certificate, keyPEM: key, alpn: []))
      try pair.run()
      #expect(pair.clientEvents == [.handshakeDone(alpn: nil)])
    }
  }

  @Test func authorityComesBack() throws {
    let authority = try CertificateAuthority(commonName: "Test authority")
    let again = try CertificateAuthority(certificatePEM: authority.certificatePEM, keyPEM: authority.keyPEM)
    let (certificate, key) = try again.issue(names: ["node-a"])
    var pair = TLSPair(
      client: try .client(trust: .pem(authority.certificatePEM), alpn: []), identity: ServerIdentity(host: "node-a"),
      server: try .server(certificatePEM: certificate + authority.certificatePEM, keyPEM: key, alpn: []))
    try pair.run()
    #expect(pair.clientEvents == [.handshakeDone(alpn: nil)])
    #expect(throws: CertificateError.unusableAuthority) {
      _ = try CertificateAuthority(certificatePEM: authority.certificatePEM, keyPEM: key)
    }
  }

  @Test(arguments: ["a,DNS:evil.example", "", "a b", "@section"])
  func namesThatAreNone(name: String) {
    #expect(throws: CertificateError.unusableName) { _ = try SelfSignedCertificate.make(names: [name], addresses: []) }
  }

  @Test func unusableFiles() throws {
    let one = try SelfSignedCertificate.make(names: ["a.example"], addresses: [])
    let other = try SelfSignedCertificate.make(names: ["b.example"], addresses: [])
    #expect(throws: TLSError.unusableCertificate) { try TLSContext.server(certificatePEM: [], keyPEM: one.keyPEM, alpn: []) }
    #expect(throws: TLSError.unusableKey) {
      try TLSContext.server(certificatePEM: one.certificatePEM, keyPEM: one.certificatePEM, alpn: [])
    }
    #expect(throws: TLSError.keyOfAnotherCertificate) {
      try TLSContext.server(certificatePEM: one.certificatePEM, keyPEM: other.keyPEM, alpn: [])
    }
    #expect(throws: TLSError.unusableTrust) { try TLSContext.client(trust: .pem(Array("no PEM".utf8)), alpn: []) }
    #expect(throws: TLSError.unusableProtocolName) { try TLSContext.client(trust: .system, alpn: [""]) }
  }
}
