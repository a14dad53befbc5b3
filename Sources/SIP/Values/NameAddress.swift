public import Primitives

/// A name-addr or addr-spec with header parameters (RFC 3261 §20.10): the value of From, To, Contact, Route, P-Asserted-Identity, ….
public struct NameAddress: Sendable, Hashable {
  /// As it came, unfolded.
  public let raw: Slice
  /// The URI without angle brackets, unread: `URI(uri)` reads it.
  public let uri: Slice
  /// The header's parameters. Without angle brackets all parameters are the header's (§20.10).
  public let parameters: Parameters
  /// The name as it stands before the bracket, with its quotes; empty for none.
  public let rawDisplayName: Slice

  /// Throws 400 for what is neither.
  public init(_ raw: Slice) throws(SIPError) {
    self.raw = raw
    var rest = Cursor(raw)
    rawDisplayName = try Self.displayName(&rest)
    guard rest.skip("<") else {
      guard rawDisplayName.isEmpty else { throw .bad(.uri) }
      uri = rest.run { $0 != UInt8(ascii: ";") }.trimmed
      // §20.10: a URI with a comma, question mark or semicolon must stand in brackets.
      guard !uri.isEmpty, !uri.contains(where: { $0.isForbiddenInURI || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ",") }) else {
        throw .bad(.uri)
      }
      parameters = try Parameters(header: rest.rest)
      return
    }
    uri = rest.run { $0 != UInt8(ascii: ">") }
    guard !uri.isEmpty, rest.skip(">") else { throw .bad(.uri) }
    parameters = try Parameters(header: rest.rest)
  }

  /// A quoted string, or what stands before a bracket: tokens by the grammar, in the field also UTF-8. A bracket behind a semicolon or a
  /// quote is a parameter's.
  private static func displayName(_ rest: inout Cursor) throws(SIPError) -> Slice {
    rest.skipSpace()
    guard rest.next == UInt8(ascii: "\"") else {
      var name = rest
      let text = name.run { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
      guard name.next == UInt8(ascii: "<") else { return text.prefix(0) }
      rest = name
      return text.trimmed
    }
    let start = rest.position
    guard rest.quoted() != nil else { throw .bad(.uri) }
    return rest.bytes[start..<rest.position]
  }

  /// The name without quotes and backslashes, as bytes of any kind; nil where there is none or it is empty.
  public var displayName: Bytes? {
    guard rawDisplayName.first == UInt8(ascii: "\"") else { return rawDisplayName.isEmpty ? nil : Array(rawDisplayName) }
    let name = rawDisplayName.dropFirst().dropLast().withoutQuotedPairs
    return name.isEmpty ? nil : name
  }

  public var tag: Slice? { parameters["tag"] }
}
