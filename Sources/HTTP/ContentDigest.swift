import Cryptography
public import Primitives

/// RFC 9530: the digest of a message's content, with sha-256.
public enum ContentDigest {
  /// The value of a Content-Digest field for `body`.
  public static func value(for body: Bytes) -> String {
    "sha-256=" + StructuredField.BareItem.bytes(Hash.sha256(body)).text
  }

  /// Whether the Content-Digest of these fields has a sha-256 and it is that of `body`. Other algorithms are passed over.
  public static func isValid(_ fields: HTTPFields, for body: Bytes) -> Bool {
    guard let text = fields["content-digest"], let digests = try? StructuredField.dictionary(text),
      case .item(let item) = digests["sha-256"], case .bytes(let digest) = item.value
    else { return false }
    return digest == Hash.sha256(body)
  }
}
