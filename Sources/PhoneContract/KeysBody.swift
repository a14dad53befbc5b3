public import Primitives

/// The public keys of a device. One P-256 key may be both: then there is only `sign`.
public struct KeysBody: Body, Discreet {
  public var sign: KeyBody
  public var seal: KeyBody?

  public init(sign: KeyBody, seal: KeyBody? = nil) {
    self.sign = sign
    self.seal = seal
  }

  /// The key that announcements are sealed for.
  public var sealing: KeyBody { seal ?? sign }

  enum CodingKeys: String, CodingKey { case sign, seal }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sign = try members.decode(KeyBody.self, forKey: .sign)
    seal = try members.decodeIfPresent(KeyBody.self, forKey: .seal)
    guard ["Ed25519", "P-256"].contains(sign.crv) else { throw members.wrong(.sign) }
    guard ["X25519", "P-256"].contains(sealing.crv) else { throw members.wrong(.seal) }
  }
}

/// A JWK (RFC 7517, RFC 8037) as plain text. That the numbers are a point of the curve is for the cryptography to say.
public struct KeyBody: Body, Discreet {
  public var kty: String
  public var crv: String
  public var x: String
  /// P-256 only.
  public var y: String?

  public init(kty: String, crv: String, x: String, y: String? = nil) {
    self.kty = kty
    self.crv = crv
    self.x = x
    self.y = y
  }

  enum CodingKeys: String, CodingKey { case kty, crv, x, y }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    kty = try members.text(.kty, .visible(1...8))
    crv = try members.text(.crv, .visible(1...16))
    guard kty == "OKP" || kty == "EC" else { throw members.wrong(.kty) }
    guard (kty == "OKP" ? ["Ed25519", "X25519"] : ["P-256"]).contains(crv) else { throw members.wrong(.crv) }
    x = try members.text(.x, .deviceID)
    guard Base64.urlSafe.decode(x)?.count == 32 else { throw members.wrong(.x) }
    y = kty == "EC" ? try members.text(.y, .deviceID) : nil
    if let y, Base64.urlSafe.decode(y)?.count != 32 { throw members.wrong(.y) }
  }
}
