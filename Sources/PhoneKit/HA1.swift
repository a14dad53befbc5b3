import Cryptography
public import PhoneContract
import Primitives

/// RFC 7616 §3.4.2: what a set-up says in the place of the password.
extension CredentialBody {
  public init(user: String, realm: String, password: String, algorithm: DigestAlgorithm) {
    let secret = Array("\(user):\(realm):\(password)".utf8)
    let digest =
      switch algorithm {
      case .md5: Hash.md5(secret)
      case .sha256: Hash.sha256(secret)
      case .sha512t256: Hash.sha512_256(secret)
      }
    self.init(realm: realm, algorithm: algorithm, ha1: Hex.encode(digest))
  }
}
