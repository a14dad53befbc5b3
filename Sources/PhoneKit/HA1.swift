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

  /// One for each challenge whose algorithm is known, at most as many as a set-up takes.
  ///
  /// A registrar that asked for nothing may ask later: the guess is then MD5 with the domain as the realm.
  /// - Throws: `noCommonDigest` where it asks, but for nothing that is known.
  public static func answers(
    to challenges: [ChallengeBody], user: String, password: String, domain: String
  ) throws(PhoneError) -> [CredentialBody] {
    guard !challenges.isEmpty else { return [CredentialBody(user: user, realm: domain, password: password, algorithm: .md5)] }
    var answered: Set<ChallengeBody> = []
    let credentials = challenges.compactMap { challenge -> CredentialBody? in
      guard let algorithm = DigestAlgorithm(rawValue: challenge.algorithm), answered.insert(challenge).inserted else { return nil }
      return CredentialBody(user: user, realm: challenge.realm, password: password, algorithm: algorithm)
    }
    guard !credentials.isEmpty else { throw .noCommonDigest }
    return Array(credentials.prefix(8))
  }
}
