public import Primitives

/// A Content-Type value (RFC 3261 §20.15).
public struct MediaType: Sendable, Hashable {
  public let type: Slice
  public let subtype: Slice
  public let parameters: Parameters

  /// nil for what is none.
  public init?(_ value: Slice) {
    var rest = Cursor(value)
    type = rest.token()
    guard type.isToken, rest.skip("/") else { return nil }
    subtype = rest.token()
    rest.skipSpace()
    guard subtype.isToken, let parameters = try? Parameters(header: rest.rest) else { return nil }
    self.parameters = parameters
  }

  public func `is`(_ type: StaticString, _ subtype: StaticString) -> Bool {
    self.type.equalsIgnoringCase(type) && self.subtype.equalsIgnoringCase(subtype)
  }

  public var isSDP: Bool { self.is("application", "sdp") }
}
