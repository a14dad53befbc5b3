public import Primitives

/// What the checks ask of cryptography, of the network and of the machine. Given from outside, so that a test decides.
public struct CheckTools: Sendable {
  /// What a certificate says, as far as the checks want to know.
  public struct Certificate: Sendable, Equatable {
    public var notBefore: Instant
    public var notAfter: Instant
    /// Whether the key that was given with it is its own.
    public var fitsKey: Bool
    /// Whether it names the server.
    public var coversName: Bool

    public init(notBefore: Instant, notAfter: Instant, fitsKey: Bool, coversName: Bool) {
      self.notBefore = notBefore
      self.notAfter = notAfter
      self.fitsKey = fitsKey
      self.coversName = coversName
    }
  }

  public struct Trouble: Sendable, Equatable {
    public let text: String
    /// Waiting does not help.
    public let isFinal: Bool

    public init(text: String, isFinal: Bool) { (self.text, self.isFinal) = (text, isFinal) }
  }

  /// Reads the first certificate of a chain in PEM beside its key and a name; nil where one of both is no PEM of its kind.
  public var certificate: @Sendable (_ chain: Bytes, _ key: Bytes, _ name: String) -> Certificate?
  /// Whether a PEM holds certificates that can vouch for others.
  public var isTrustStore: @Sendable (_ pem: Bytes) -> Bool
  /// Whether a PEM holds a private key on P-256, which ES256 needs.
  public var isP256Key: @Sendable (_ pem: Bytes) -> Bool
  /// The addresses of a name; none where it has none.
  public var addresses: @Sendable (_ name: String) async -> [IPAddress]
  /// Why Redis cannot be used; nil where it can.
  public var redisTrouble: @Sendable (_ configuration: Configuration) async -> Trouble?
  /// The wall clock.
  public var now: @Sendable () -> Instant

  public init(
    certificate: @escaping @Sendable (_ chain: Bytes, _ key: Bytes, _ name: String) -> Certificate?,
    isTrustStore: @escaping @Sendable (_ pem: Bytes) -> Bool, isP256Key: @escaping @Sendable (_ pem: Bytes) -> Bool,
    addresses: @escaping @Sendable (_ name: String) async -> [IPAddress],
    redisTrouble: @escaping @Sendable (_ configuration: Configuration) async -> Trouble?, now: @escaping @Sendable () -> Instant
  ) {
    self.certificate = certificate
    self.isTrustStore = isTrustStore
    self.isP256Key = isP256Key
    self.addresses = addresses
    self.redisTrouble = redisTrouble
    self.now = now
  }
}
