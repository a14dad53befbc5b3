import Cryptography
import Primitives
import Testing

/// Both ends show a certificate, as the nodes of a cluster do.
@Suite struct ClientCertificateTests {
  private typealias Identity = (certificatePEM: Bytes, keyPEM: Bytes)

  private let authority: CertificateAuthority

  init() throws { authority = try CertificateAuthority(commonName: "Cluster") }

  /// A client that wants to reach `node-b` and shows `identity`.
  private func pair(showing identity: Identity?, reaching name: String = "node-b", server: Identity? = nil) throws -> TLSPair {
    let server = try server ?? authority.issue(names: ["node-b"])
    return TLSPair(
      client: try .client(trust: .pem(authority.certificatePEM), alpn: ["h2"], identity: identity), identity: ServerIdentity(host: name),
      server: try .server(
        certificatePEM: server.certificatePEM, keyPEM: server.keyPEM, alpn: ["h2"], clientAuthority: authority.certificatePEM))
  }

  @Test(arguments: [1, Int.max]) func eachKnowsTheOther(piece: Int) throws {
    var pair = try pair(showing: authority.issue(names: ["node-a", "other.example"], addresses: [.loopbackIPv4]))
    #expect(pair.server.peerNames == [])
    try pair.run(piece: piece)
    #expect(pair.serverEvents == [.handshakeDone(alpn: "h2")])
    #expect(pair.server.peerNames == ["node-a", "other.example"])
    #expect(pair.client.peerNames == ["node-b"])
    try pair.client.send("hello".utf8)
    try pair.run()
    #expect(pair.serverEvents.plaintext == Array("hello".utf8))
  }

  @Test func noCertificate() throws {
    try expectRefusal(of: nil, alert: 116) { #expect($0 != .closed) }
  }

  @Test func certificateOfAnotherAuthority() throws {
    let other = try CertificateAuthority(commonName: "Cluster")
    try expectRefusal(of: other.issue(names: ["node-a"]), alert: nil) { #expect($0.isCertificateProblem) }
  }

  @Test func certificateThatSignsItself() throws {
    try expectRefusal(of: SelfSignedCertificate.make(names: ["node-a"], addresses: []), alert: nil) { #expect($0.isCertificateProblem) }
  }

  @Test func expiredCertificate() throws {
    let expired = try authority.issue(names: ["node-a"], validity: .seconds(-7200) ..< .seconds(-3600))
    try expectRefusal(of: expired, alert: 45) { #expect($0 == .certificate(.expired)) }
  }

  @Test func certificateThatIsNotYetValid() throws {
    let early = try authority.issue(names: ["node-a"], validity: .seconds(3600) ..< .seconds(7200))
    try expectRefusal(of: early, alert: nil) { #expect($0 == .certificate(.notYetValid)) }
  }

  @Test func serverWithAnotherName() throws {
    var pair = try pair(showing: authority.issue(names: ["node-a"]), reaching: "node-c")
    #expect(throws: TLSError.certificate(.wrongName)) { try pair.run() }
    #expect(pair.serverEvents.plaintext.isEmpty)
  }

  @Test func keyOfAnother() throws {
    let (one, other) = (try authority.issue(names: ["node-a"]), try authority.issue(names: ["node-a"]))
    #expect(throws: TLSError.keyOfAnotherCertificate) { _ = try pair(showing: (one.certificatePEM, other.keyPEM)) }
    #expect(throws: TLSError.unusableTrust) {
      _ = try TLSContext.server(certificatePEM: one.certificatePEM, keyPEM: one.keyPEM, alpn: [], clientAuthority: [])
    }
  }

  /// A server that asks nobody who he is gets no names.
  @Test func namesOfNobody() throws {
    var pair = try TLSPair()
    try pair.run()
    #expect(pair.server.peerNames == [])
    #expect(pair.client.peerNames == ["sip.example.net"])
  }

  /// No plaintext reaches the server, and the client learns why by the alert.
  private func expectRefusal(of identity: Identity?, alert: UInt8?, _ check: (TLSError) -> Void) throws {
    var pair = try pair(showing: identity)
    try pair.client.send("secret".utf8)
    let refusal = #expect(throws: TLSError.self) { try pair.run() }
    if let refusal { check(refusal) }
    #expect(pair.serverEvents == [])
    #expect(pair.server.peerNames == [])
    let learnt = #expect(throws: TLSError.self) { _ = try pair.client.receive(pair.server.pendingCiphertext()) }
    if let alert { #expect(learnt == .alert(alert)) }
  }
}

extension TLSError {
  fileprivate var isCertificateProblem: Bool { self == .certificate(.unknownAuthority) }
}
