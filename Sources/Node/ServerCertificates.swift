import Cryptography
import Network
import Primitives

/// The certificates and trust of a node, read from the files that the configuration names.
struct ServerCertificates {
  /// Phones: HTTP/2 and HTTP/1.1.
  let https: TLSContext
  /// Providers that connect to us.
  let sip: TLSContext
  /// Providers that we connect to.
  let providers: TLSContext

  init(_ configuration: Configuration) throws(StartError) {
    let (phones, sips) = (configuration.https.identity, configuration.sip.identity)
    let given = try Self.read(phones)
    let own = if let given { given } else { try Self.make(configuration) }
    let towardsProviders = try Self.read(sips) ?? own
    let trust = try configuration.sip.providerCA.contents()
    https = try Self.context(own, alpn: ["h2", "http/1.1"], "https.certificate", of: phones)
    sip = try Self.context(towardsProviders, alpn: [], "sip.certificate", of: sips ?? phones)
    providers = try StartError.explaining("sip.provider_ca", of: configuration.sip.providerCA.file) { () throws(TLSError) in
      try TLSContext.client(trust: trust, alpn: [])
    }
  }

  private typealias PEM = (certificate: Bytes, key: Bytes)

  private static func read(_ identity: Identity?) throws(StartError) -> PEM? {
    guard let identity else { return nil }
    return (try identity.certificate.contents(), try identity.key.contents())
  }

  /// The embedded default has a certificate of its own, new at each start and nowhere written.
  private static func make(_ configuration: Configuration) throws(StartError) -> PEM {
    let names = [configuration.serverName, "localhost"].filter { IPAddress($0) == nil }
    let addresses = configuration.https.listen.map(\.ip) + [.loopbackIPv4]
    let made = try StartError.explaining("https.certificate") { () throws(CertificateError) in
      try SelfSignedCertificate.make(names: names, addresses: addresses)
    }
    return (made.certificatePEM, made.keyPEM)
  }

  private static func context(_ pem: PEM, alpn: [String], _ key: String, of identity: Identity?) throws(StartError) -> TLSContext {
    try StartError.explaining(key, of: identity?.certificate) { () throws(TLSError) in
      try TLSContext.server(certificatePEM: pem.certificate, keyPEM: pem.key, alpn: alpn)
    }
  }
}
