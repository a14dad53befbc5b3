public import Primitives

/// The `;name=value` parameters of a header value or of a URI, read when asked for. Empty ones (`;;`) count for nothing.
public struct Parameters: Sendable, Hashable {
  /// As they came, from the first semicolon on; empty for none.
  public let raw: Slice
  /// In a URI names may be percent-escaped, and there is no white space and no quoting (RFC 3261 §19.1.1).
  private let isOfURI: Bool

  private init(raw: Slice, isOfURI: Bool) {
    self.raw = raw
    self.isOfURI = isOfURI
  }

  /// Those of a header value (`generic-param`). Throws 400 where something else follows.
  init(header raw: Slice) throws(SIPError) {
    self.init(raw: raw, isOfURI: false)
    try check()
  }

  /// Those of a URI. Throws 400 where something else follows.
  init(uri raw: Slice) throws(SIPError) {
    self.init(raw: raw, isOfURI: true)
    try check()
  }

  private func check() throws(SIPError) {
    var rest = Cursor(raw)
    while let step = nextParameter(&rest) {
      if step == .malformed { throw .bad(.framing) }
    }
  }

  /// The value of the first parameter of this name (ASCII, without case): without quotes, empty where the parameter has none, nil
  /// where there is no such parameter.
  public subscript(_ name: StaticString) -> Slice? {
    var rest = Cursor(raw)
    while case .parameter(let found, let value)? = nextParameter(&rest) {
      if matches(found, name) { return value }
    }
    return nil
  }

  public func has(_ name: StaticString) -> Bool { self[name] != nil }

  /// All of them in order; names and values as they came, without quotes.
  public var all: [(name: Slice, value: Slice)] {
    var rest = Cursor(raw)
    var all: [(name: Slice, value: Slice)] = []
    while case .parameter(let name, let value)? = nextParameter(&rest) { all.append((name, value)) }
    return all
  }

  /// All of them in order, each as it stands between its semicolons.
  var segments: [(name: Slice, text: Slice)] {
    var rest = Cursor(raw)
    var segments: [(name: Slice, text: Slice)] = []
    while case .parameter(let name, _)? = nextParameter(&rest) {
      segments.append((name, raw[name.startIndex..<rest.position].trimmed))
    }
    return segments
  }

  private func matches(_ found: Slice, _ name: StaticString) -> Bool {
    found.equalsIgnoringCase(name) || (isOfURI && found.contains(UInt8(ascii: "%")) && found.unescaped.equalsIgnoringCase(name))
  }

  private enum Step: Equatable {
    case parameter(name: Slice, value: Slice)
    case malformed
  }

  /// nil at the end.
  private func nextParameter(_ rest: inout Cursor) -> Step? {
    repeat {
      if rest.isAtEnd { return nil }
      guard rest.skip(";") else { return .malformed }
    } while rest.isAtEnd || rest.next == UInt8(ascii: ";")
    let name = rest.run { isOfURI ? Self.isURIText($0) && $0 != UInt8(ascii: "=") : $0.isToken }
    guard !name.isEmpty else { return .malformed }
    let end = rest
    guard rest.skip("=") else {
      rest = end
      rest.skipSpace()
      return .parameter(name: name, value: name[name.endIndex...])
    }
    return value(of: name, &rest)
  }

  private func value(of name: Slice, _ rest: inout Cursor) -> Step {
    if !isOfURI, rest.next == UInt8(ascii: "\"") {
      guard let value = rest.quoted() else { return .malformed }
      rest.skipSpace()
      return .parameter(name: name, value: value)
    }
    let value = rest.run { isOfURI ? Self.isURIText($0) : Self.isValueText($0) }
    rest.skipSpace()
    return .parameter(name: name, value: value)
  }

  private static func isURIText(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: ";") && byte != UInt8(ascii: "?") && !byte.isForbiddenInURI
  }

  /// `token / host`, and what the field sends besides: anything that ends no parameter.
  private static func isValueText(_ byte: UInt8) -> Bool {
    byte > 32 && byte != 0x7F && byte != UInt8(ascii: ";") && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"")
  }
}
