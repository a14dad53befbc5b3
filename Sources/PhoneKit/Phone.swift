import Cryptography
public import PhoneContract
public import Primitives

/// The keys of one device on one account. For a second account a phone makes a second one.
public struct Phone: Sendable {
  public enum KeyKind: UInt8, Sendable, CaseIterable {
    /// Ed25519 signs, X25519 opens.
    case curve25519 = 1
    /// One P-256 key does both.
    case p256 = 2
  }

  public let kind: KeyKind
  private let signing: SigningPrivateKey
  private let sealing: SealingPrivateKey

  public static func generate(_ kind: KeyKind = .curve25519) throws(PhoneError) -> Phone {
    switch kind {
    case .curve25519: return Phone(kind, .generate(.ed25519), .generate(.x25519))
    case .p256: return try Phone(kind, signing: SigningPrivateKey.generate(.p256).rawValue, sealing: nil)
    }
  }

  /// Keys that `exported` gave. Failure: `unusableKeys`.
  public init(exported bytes: Bytes) throws(PhoneError) {
    guard let kind = bytes.first.flatMap(KeyKind.init(rawValue:)), bytes.count == kind.exportedSize else { throw .unusableKeys }
    try self.init(kind, signing: Array(bytes[1..<33]), sealing: kind == .curve25519 ? Array(bytes[33...]) : nil)
  }

  private init(_ kind: KeyKind, signing: Bytes, sealing: Bytes?) throws(PhoneError) {
    do {
      switch kind {
      case .curve25519: self.init(kind, try .init(.ed25519, rawValue: signing), try .init(.x25519, rawValue: sealing ?? []))
      case .p256: self.init(kind, try .init(.p256, rawValue: signing), try .init(.p256, rawValue: signing))
      }
    } catch {
      throw .unusableKeys
    }
  }

  private init(_ kind: KeyKind, _ signing: SigningPrivateKey, _ sealing: SealingPrivateKey) {
    self.kind = kind
    self.signing = signing
    self.sealing = sealing
  }

  /// The secret keys, for a key store: the kind's byte, then 32 bytes for each key.
  public var exported: Bytes {
    [kind.rawValue] + signing.rawValue + (kind == .curve25519 ? sealing.rawValue : [])
  }

  /// The device's id: the RFC 7638 thumbprint of its signing key.
  public var id: String { signing.publicKey.thumbprint }

  /// The public keys, as a set-up tells them.
  public var keys: KeysBody {
    KeysBody(
      sign: KeyBody(signing.publicKey.jwk), seal: kind == .curve25519 ? KeyBody(sealing.publicKey.jwk) : nil)
  }

  /// Reads what came by push or over the home connection. Failure: `unusableAnnouncement`.
  public func open(_ sealed: Bytes) throws(PhoneError) -> Announcement {
    guard let plaintext = try? HPKE.open(sealed, with: sealing, info: Contract.announcementInfo), let announcement = Announcement(plaintext)
    else { throw .unusableAnnouncement }
    return announcement
  }

  /// 64 bytes.
  func sign(_ message: Bytes) -> Bytes { signing.sign(message) }
}

extension Phone.KeyKind {
  fileprivate var exportedSize: Int { self == .curve25519 ? 65 : 33 }
}

extension KeyBody {
  fileprivate init(_ jwk: JWK) { self.init(kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y) }
}
