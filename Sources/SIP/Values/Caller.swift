import Primitives

/// Who calls, as it may be shown (RFC 3325 §9, RFC 3323 §4): from the network's word before the caller's own.
public struct Caller: Sendable, Hashable {
  /// The user part as it was sent, without escapes and parameters; nil where it is withheld or there is none.
  public let number: String?
  public let name: String?
  public let isWithheld: Bool

  public static let withheld = Caller(number: nil, name: nil, isWithheld: true)

  private init(number: String?, name: String?, isWithheld: Bool) {
    self.number = number
    self.name = name
    self.isWithheld = isWithheld
  }

  /// Values that cannot be read count as missing: a call is not lost for its caller's name.
  public init(of request: Request) {
    let identities = Self.identities(of: request)
    let from = (try? request.from).map { [$0] } ?? []
    guard !Self.asksForPrivacy(request), !identities.contains(where: Self.isMarkedPrivate),
      !(identities + from).contains(where: Self.isAnonymous)
    else {
      self = .withheld
      return
    }
    let read = identities.map { (address: $0, uri: try? URI($0.uri)) }
    let shown = read.first { $0.uri?.scheme == .tel } ?? read.first { $0.uri?.user != nil } ?? read.first
    let named = shown?.address.displayName == nil ? identities.first { $0.displayName != nil } : shown?.address
    self.init(number: Self.number(of: shown?.uri), name: named?.displayName.flatMap(DisplayText.clean), isWithheld: false)
  }

  /// The first of the fields that names anybody.
  private static func identities(of request: Request) -> [NameAddress] {
    for field in [HeaderName.pAssertedIdentity, .remotePartyID, .from] {
      let values = request.message.values(field).compactMap { try? NameAddress($0) }
      if !values.isEmpty { return values }
    }
    return []
  }

  /// RFC 3323 §4.2, RFC 3325 §9.3; `none`, `session` and `critical` hide no caller.
  private static func asksForPrivacy(_ request: Request) -> Bool {
    request.privacy.contains { $0.equalsIgnoringCase("id") || $0.equalsIgnoringCase("user") || $0.equalsIgnoringCase("header") }
  }

  /// RFC 3323 §4.1.1.3.
  private static func isAnonymous(_ identity: NameAddress) -> Bool {
    guard let uri = try? URI(identity.uri) else { return false }
    return uri.unescapedUser?.equalsIgnoringCase("anonymous") == true || uri.host?.equalsIgnoringCase("anonymous.invalid") == true
  }

  /// `privacy=full`, `name`, `uri` on a Remote-Party-ID, the older way to say it.
  private static func isMarkedPrivate(_ identity: NameAddress) -> Bool {
    guard let privacy = identity.parameters["privacy"] else { return false }
    return privacy.equalsIgnoringCase("full") || privacy.equalsIgnoringCase("name") || privacy.equalsIgnoringCase("uri")
  }

  /// The user part of a telephone number in a `sip` URI may carry the parameters of a `tel` URI (RFC 3261 §19.1.6).
  private static func number(of uri: URI?) -> String? {
    guard let user = uri?.user else { return nil }
    return DisplayText.clean(user.prefix { $0 != UInt8(ascii: ";") }.unescaped)
  }
}

/// Text from the network, made fit to show.
enum DisplayText {
  /// What is no UTF-8 becomes U+FFFD; controls and marks that turn the direction of other text go; nil where nothing is left.
  static func clean(_ bytes: Bytes) -> String? {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { !isUnfit($0) })
    let trimmed = text.drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
    return end == trimmed.startIndex ? nil : String(trimmed[..<end])
  }

  private static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true  // C0, DEL, C1
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // marks, embeddings, overrides, isolates
    case 0x2028, 0x2029: true  // line and paragraph separators
    default: false
    }
  }
}
