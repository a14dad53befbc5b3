import Primitives

/// Numbers of seconds, and what a body is. A number too large to hold is the largest (RFC 4475 §3.1.2.5); what is no number counts
/// as missing: none of these fields is worth refusing a message for.
extension MessageFields {
  public var expires: UInt32? { message.value(.expires)?.seconds }
  public var minExpires: UInt32? { message.value(.minExpires)?.seconds }
  /// Without its comment and parameters (RFC 3261 §20.33).
  public var retryAfter: UInt32? { message.value(.retryAfter)?.seconds }
  /// RFC 4028 §5.
  public var minSE: UInt32? { message.value(.minSE)?.seconds }

  /// RFC 4028 §4.
  public var sessionExpires: SessionExpires? { message.value(.sessionExpires).flatMap(SessionExpires.init) }

  public var contentType: MediaType? { message.value(.contentType).flatMap(MediaType.init) }
}

extension NameAddress {
  /// A Contact's own `expires`.
  public var expires: UInt32? { parameters["expires"]?.seconds }
}

/// A Session-Expires value (RFC 4028 §4).
public struct SessionExpires: Sendable, Hashable {
  public enum Refresher: Sendable, Hashable { case uac, uas }

  public let seconds: UInt32
  public let refresher: Refresher?

  public init(seconds: UInt32, refresher: Refresher?) {
    self.seconds = seconds
    self.refresher = refresher
  }

  init?(_ value: Slice) {
    let semicolon = value.firstIndex(of: UInt8(ascii: ";")) ?? value.endIndex
    guard let seconds = value[..<semicolon].seconds, let parameters = try? Parameters(header: value[semicolon...]) else { return nil }
    let refresher = parameters["refresher"]
    let isUAC = refresher?.equalsIgnoringCase("uac") ?? false
    let isUAS = refresher?.equalsIgnoringCase("uas") ?? false
    self.init(seconds: seconds, refresher: isUAC ? .uac : isUAS ? .uas : nil)
  }
}

extension Slice {
  /// The digits at the start, of which more than 32 bits hold count as the largest number; nil for none.
  var seconds: UInt32? {
    let digits = trimmed.prefix(while: \.isDigit)
    return digits.isEmpty ? nil : digits.decimal(as: UInt32.self) ?? .max
  }
}
