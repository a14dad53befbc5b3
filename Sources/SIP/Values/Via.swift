public import Primitives

/// One Via value (RFC 3261 §20.42, RFC 3581).
public struct Via: Sendable, Hashable {
  /// As it came, unfolded.
  public let raw: Slice
  /// `UDP`, `TCP`, `TLS`, or anything else that a hop on the way used.
  public let transport: Slice
  public let sentBy: HostPort
  public let parameters: Parameters

  /// Throws 400.
  public init(_ raw: Slice) throws(SIPError) {
    self.raw = raw
    do {
      var rest = Cursor(raw)
      guard rest.token().equalsIgnoringCase("SIP"), rest.skip("/"), rest.token().isToken, rest.skip("/") else {
        throw SIPError.bad(.malformed(.via))
      }
      transport = rest.token()
      guard transport.isToken, rest.next?.isSpace == true else { throw SIPError.bad(.malformed(.via)) }
      rest.skipSpace()
      sentBy = try HostPort(rest.run { $0 != UInt8(ascii: ";") }.trimmed)
      parameters = try Parameters(header: rest.rest)
    } catch {
      throw .bad(.malformed(.via))
    }
  }

  /// nil for a request of RFC 2543, which has none.
  public var branch: Slice? { parameters["branch"] }

  /// Whether the branch alone names the transaction (RFC 3261 §8.1.1.7): more than the bare cookie (RFC 4475 §3.2.1).
  public var hasUniqueBranch: Bool {
    guard let branch, branch.count > 7 else { return false }
    return branch.prefix(7).equalsIgnoringCase("z9hG4bK")
  }

  /// Where the request came from; brackets around an IPv6 address are taken too (RFC 5118 §4.5).
  public var received: IPAddress? {
    guard let value = parameters["received"] else { return nil }
    return value.first == UInt8(ascii: "[") ? IPAddress(value.dropFirst().dropLast()) : IPAddress(value)
  }

  /// Whether the client asks for the answer to the port that it sent from (RFC 3581 §4).
  public var wantsRport: Bool { parameters.has("rport") }

  /// The filled-in rport.
  public var rport: UInt16? { parameters["rport"]?.decimal(as: UInt16.self) }

  public var maddr: Slice? { parameters["maddr"] }
}
