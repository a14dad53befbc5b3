import Cryptography
import Primitives
import Store

/// Seals what goes to Redis under the cluster's key, so that a Redis, its replicas and whoever listens hold nothing that they could
/// read. Each account and each device has a key of its own: AES-GCM with random nonces bears 2^32 messages under one.
struct Seal: Sendable {
  private let clusterKey: Bytes

  init(clusterKey: Bytes) { self.clusterKey = clusterKey }

  /// What a record is; one put in the place of another one does not open.
  enum Kind: String {
    case account, registration, call, fixedPart, answer
  }

  func seal(_ record: Bytes, _ kind: Kind, of subject: Bytes, name: String = "") -> Bytes {
    key(subject)?.seal(record, context: Self.context(kind, name)) ?? []
  }

  /// nil where it was not sealed under this key, or changed.
  func open(_ sealed: Bytes, _ kind: Kind, of subject: Bytes, name: String = "") -> Bytes? {
    key(subject)?.open(sealed, context: Self.context(kind, name))
  }

  /// Tells parts of records apart, and nothing about them to whoever has not the key.
  func name(of part: Bytes, in subject: Bytes) -> Bytes {
    Array(hmacSHA256(key: clusterKey, Array("part\0".utf8) + subject + part).prefix(Self.nameLength))
  }

  static let nameLength = 8

  /// The same on all nodes that have the same key, and tells nothing of it.
  var mark: Bytes { Hex.digits(of: Array(hmacSHA256(key: clusterKey, Array("mark\0".utf8)).prefix(Self.nameLength))) }

  private func key(_ subject: Bytes) -> SymmetricKey? {
    SymmetricKey(hmacSHA256(key: clusterKey, Array("store\0".utf8) + subject))
  }

  private static func context(_ kind: Kind, _ name: String) -> Bytes { Array("\(kind.rawValue)\0\(name)".utf8) }
}
