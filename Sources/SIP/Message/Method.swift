public import Primitives

/// A request's method (RFC 3261 §7.1; case counts).
public enum Method: Sendable, Hashable {
  case invite, ack, bye, cancel, options, register
  case prack, update, info, message, subscribe, notify, refer, publish
  case other(Bytes)

  public init(_ token: some Collection<UInt8>) {
    self = Self.known.first { token.equals($0.name) }?.method ?? .other(Array(token))
  }

  public var bytes: Bytes {
    if case .other(let token) = self { return token }
    var out = Bytes()
    if let name = Self.known.first(where: { $0.method == self })?.name { out.append(name) }
    return out
  }

  private static let known: [(method: Method, name: StaticString)] = [
    (.invite, "INVITE"), (.ack, "ACK"), (.bye, "BYE"), (.cancel, "CANCEL"), (.options, "OPTIONS"), (.register, "REGISTER"),
    (.prack, "PRACK"), (.update, "UPDATE"), (.info, "INFO"), (.message, "MESSAGE"), (.subscribe, "SUBSCRIBE"), (.notify, "NOTIFY"),
    (.refer, "REFER"), (.publish, "PUBLISH"),
  ]
}
