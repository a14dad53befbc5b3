import Primitives

/// A public key as RFC 7517 names it (P-256: RFC 7518 §6.2; Ed25519, X25519: RFC 8037 §2): a plain value, not checked yet.
public struct JWK: Hashable, Sendable {
  public var kty: String
  public var crv: String
  public var x: String
  public var y: String?

  public init(kty: String, crv: String, x: String, y: String? = nil) {
    self.kty = kty
    self.crv = crv
    self.x = x
    self.y = y
  }

  init(octets: Bytes, crv: String) {
    self.init(kty: "OKP", crv: crv, x: Base64.urlSafe.encode(octets))
  }

  /// - Parameter point: 65 bytes, SEC 1 §2.3.3 uncompressed.
  init(point: Bytes) {
    self.init(kty: "EC", crv: "P-256", x: Base64.urlSafe.encode(point[1..<33]), y: Base64.urlSafe.encode(point[33...]))
  }

  func octets() throws(KeyError) -> Bytes { try Self.coordinate(x) }

  func point() throws(KeyError) -> Bytes {
    guard let y else { throw .unusableCoordinate }
    return try [4] + Self.coordinate(x) + Self.coordinate(y)
  }

  /// Every coordinate of the curves that we know has 32 bytes, leading zeros included (RFC 7518 §6.2.1.2).
  private static func coordinate(_ text: String) throws(KeyError) -> Bytes {
    guard text.utf8.count == 43, let bytes = Base64.urlSafe.decode(text) else { throw .unusableCoordinate }
    return bytes
  }

  /// RFC 7638: base64url of the SHA-256 of the required members, in the order of their names, without white space. Of a checked
  /// key only: the alphabet of its members needs no escapes.
  var thumbprint: String {
    let last = y.map { ",\"y\":\"\($0)\"" } ?? ""
    let canonical = "{\"crv\":\"\(crv)\",\"kty\":\"\(kty)\",\"x\":\"\(x)\"\(last)}"
    return Base64.urlSafe.encode(Hash.sha256(canonical.utf8))
  }
}
