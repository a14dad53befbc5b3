/// The fixed words and numbers of version 1 that are no shapes.
public enum Contract {
  /// RFC 9421 §2.3 `tag` of every request's signature, and the label it stands under.
  public static let signatureTag = "ringhold-v1"
  public static let signatureLabel = "sig"

  /// `info` of the HPKE context (RFC 9180 §5.1) that seals an announcement.
  public static let announcementInfo = Array("ringhold-v1 announcement".utf8)

  /// Every announcement has this many bytes before it is sealed, so that call and stop look alike.
  public static let announcementLength = 512

  /// A body may have this many bytes.
  public static let bodyLimit = 65_536

  /// How far `created` may be from the server's clock, and how long a nonce is remembered.
  public static let clockSkew: Duration = .seconds(60)
  public static let nonceLifetime: Duration = .seconds(120)
  public static let nonceLength = 16...128

  /// The same key from the same device gets the first answer again for this long.
  public static let idempotencyLifetime: Duration = .seconds(60)
  public static let idempotencyKeyLength = 8...64

  /// A fetch claims the held call for this long.
  public static let claimLifetime: Duration = .seconds(5)

  /// Without an open status request for this long the server ends the call; `ended` is kept this long for a late reader.
  public static let statusGap: Duration = .seconds(30)
  public static let endedLifetime: Duration = .seconds(60)

  /// A set-up is answered by then, whatever the first REGISTER does.
  public static let setUpWait: Duration = .seconds(5)

  /// Whether the text may stand as a nonce: visible ASCII of the contract's length.
  public static func isNonce(_ text: String) -> Bool { TextRule.visible(nonceLength).allows(text) }

  public static func isIdempotencyKey(_ text: String) -> Bool { TextRule.visible(idempotencyKeyLength).allows(text) }
}
