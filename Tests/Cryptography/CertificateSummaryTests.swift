import Cryptography
import Primitives
import Testing

@Suite struct CertificateSummaryTests {
  @Test func tellsWhatACertificateIsFor() throws {
    let made = try SelfSignedCertificate.make(names: ["a.example"], addresses: [.loopbackIPv4])
    let summary = try #require(CertificateSummary(chainPEM: made.certificatePEM, keyPEM: made.keyPEM, host: "a.example"))
    #expect(summary.fitsKey && summary.namesHost)
    let seconds = (summary.notAfter - summary.notBefore).components.seconds
    #expect(seconds == 397 * 86_400 + 3600)
    #expect(CertificateSummary(chainPEM: made.certificatePEM, keyPEM: made.keyPEM, host: "127.0.0.1")?.namesHost == true)
    #expect(CertificateSummary(chainPEM: made.certificatePEM, keyPEM: made.keyPEM, host: "b.example")?.namesHost == false)
  }

  @Test func seesAKeyOfAnother() throws {
    let (one, other) = (
      try SelfSignedCertificate.make(names: ["a"], addresses: []), try SelfSignedCertificate.make(names: ["a"], addresses: [])
    )
    #expect(CertificateSummary(chainPEM: one.certificatePEM, keyPEM: other.keyPEM, host: "a")?.fitsKey == false)
    #expect(CertificateSummary(chainPEM: one.keyPEM, keyPEM: one.keyPEM, host: "a") == nil)
    #expect(CertificateSummary(chainPEM: one.certificatePEM, keyPEM: [], host: "a") == nil)
  }
}
