public import Primitives

/// A CSeq value (RFC 3261 §20.16).
public struct CSeq: Sendable, Hashable {
  /// Below 2³¹ (§8.1.1.5).
  public let number: UInt32
  public let method: Method

  public init(number: UInt32, method: Method) {
    self.number = number
    self.method = method
  }

  /// Throws 400.
  public init(_ raw: Slice) throws(SIPError) {
    var rest = Cursor(raw)
    let digits = rest.run(\.isDigit)
    guard let number = digits.decimal(as: UInt32.self), number < 1 << 31, rest.next?.isSpace == true else { throw .bad(.malformed(.cSeq)) }
    rest.skipSpace()
    guard rest.rest.isToken else { throw .bad(.malformed(.cSeq)) }
    self.init(number: number, method: Method(rest.rest))
  }

  public var bytes: Bytes {
    var out = Bytes()
    out.append(decimal: number)
    out.append(32)
    return out + method.bytes
  }
}
