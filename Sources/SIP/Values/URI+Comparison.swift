import Primitives

extension URI {
  /// Whether both name the same resource by RFC 3261 §19.1.4. `tel` URIs compare by their digits (RFC 3966 §4), others byte by byte.
  public func matches(_ other: URI) -> Bool {
    guard scheme == other.scheme else { return false }
    switch scheme {
    case .sip, .sips:
      return unescapedUser == other.unescapedUser && password?.unescaped == other.password?.unescaped && hasHost(of: other)
        && hasFittingParameters(other) && other.hasFittingParameters(self) && hasHeaders(of: other)
    case .tel: return digits == other.digits
    case .other: return raw == other.raw
    }
  }

  /// Addresses compare by value, names without case; an absent port and 5060 differ (§19.1.4).
  private func hasHost(of other: URI) -> Bool {
    guard let mine = hostPort, let theirs = other.hostPort, mine.port == theirs.port else { return false }
    if let address = mine.address { return address == theirs.address }
    return mine.host.equalsIgnoringCase(theirs.host)
  }

  /// A parameter in both must be equal; user, ttl, method, maddr and transport must be in both or in none.
  private func hasFittingParameters(_ other: URI) -> Bool {
    let theirs = other.parameters.all.map { (name: $0.name.unescaped, value: $0.value.unescaped) }
    return parameters.all.allSatisfy { parameter in
      let name = parameter.name.unescaped
      guard let match = theirs.first(where: { $0.name.equalsIgnoringCase(name) }) else { return !Self.mustBeInBoth(name) }
      return match.value.equalsIgnoringCase(parameter.value.unescaped)
    }
  }

  private static func mustBeInBoth(_ name: Bytes) -> Bool {
    name.equalsIgnoringCase("user") || name.equalsIgnoringCase("ttl") || name.equalsIgnoringCase("method")
      || name.equalsIgnoringCase("maddr") || name.equalsIgnoringCase("transport")
  }

  /// Headers are never ignored, their order is.
  private func hasHeaders(of other: URI) -> Bool {
    func parts(_ headers: Slice) -> [Bytes] {
      headers.split(separator: UInt8(ascii: "&")).map(\.unescaped).sorted { $0.lexicographicallyPrecedes($1) }
    }
    return parts(headers) == parts(other.headers)
  }

  /// Without visual separators.
  private var digits: Bytes {
    (user ?? []).filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
  }
}
