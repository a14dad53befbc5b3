import Cryptography
import Network
import Primitives

/// What a node shows its peers, and whom it believes.
struct PeerCertificates {
  /// Asks every client for a certificate of the cluster's authority.
  let server: TLSContext
  let client: TLSContext

  /// - Parameter authorityPEM: the cluster's own; nobody else's signature counts.
  init(certificatePEM: Bytes, keyPEM: Bytes, authorityPEM: Bytes) throws(TLSError) {
    server = try .server(certificatePEM: certificatePEM, keyPEM: keyPEM, alpn: ["h2"], clientAuthority: authorityPEM)
    client = try .client(trust: .pem(authorityPEM), alpn: ["h2"], identity: (certificatePEM, keyPEM))
  }

  /// Reads the files that the configuration names.
  init(_ node: Configuration.Node) throws(StartError) {
    guard let identity = node.identity else { throw StartError("node.certificate: a node with peers needs one") }
    guard let authority = node.ca else { throw StartError("node.ca: a node with peers needs the cluster's authority") }
    let (certificate, key) = try StartError.explaining("node.certificate") { () throws(ConfigurationError) in
      (try identity.certificate.read(), try identity.key.read())
    }
    let trusted = try StartError.explaining("node.ca") { () throws(ConfigurationError) in try authority.read() }
    try self.init(node.name, certificate, key, trusted)
  }

  /// A peer that wants to reach a node looks for the node's name in its certificate.
  private init(_ name: String, _ certificate: Bytes, _ key: Bytes, _ authority: Bytes) throws(StartError) {
    if let summary = CertificateSummary(chainPEM: certificate, keyPEM: key, host: name), !summary.namesHost {
      throw StartError("node.certificate: it does not name the node \(name)")
    }
    self = try StartError.explaining("node.certificate") { () throws(TLSError) in
      try PeerCertificates(certificatePEM: certificate, keyPEM: key, authorityPEM: authority)
    }
    guard let problem = problem(as: name) else { return }
    throw StartError("node.certificate: peers would refuse it (\(problem.word)): node.ca has to have signed it, for servers and clients")
  }
}
