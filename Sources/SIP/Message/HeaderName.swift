import Primitives

/// The name of a header field that the server reads or writes. Every other name is `unknown`: kept in the raw message, never read.
public enum HeaderName: UInt8, Sendable, Hashable, CaseIterable {
  case accept, acceptEncoding, allow, allowEvents, authenticationInfo, authorization, callID, contact, contentDisposition, contentEncoding
  case contentLength, contentType, cSeq, date, diversion, event, expires, from, maxForwards, minExpires, minSE
  case pAssertedIdentity, pAssociatedURI, pCalledPartyID, pPreferredIdentity, path, privacy, proxyAuthenticate, proxyAuthorization,
    proxyRequire
  case rAck, rSeq, reason, recordRoute, referTo, remotePartyID, replaces, require, retryAfter, route, server, serviceRoute
  case sessionExpires, subject, supported, timestamp, to, unsupported, userAgent, via, wwwAuthenticate, warning
  case unknown

  /// The canonical long form.
  public var text: StaticString { Self.table[Int(rawValue)].long }

  /// A long or compact form (RFC 3261 §7.3.3), without case.
  init(_ name: some Collection<UInt8>) {
    if name.count == 1, let letter = name.first?.lowercased {
      self = Self.compact[letter] ?? .unknown
      return
    }
    self = Self.byLength[name.count]?.first { name.equalsIgnoringCase($0.text) } ?? .unknown
  }

  private static let compact: [UInt8: HeaderName] = Dictionary(
    uniqueKeysWithValues: table.compactMap { row in row.short.map { ($0, row.name) } })

  private static let byLength: [Int: [HeaderName]] = Dictionary(grouping: table.map(\.name).filter { $0 != .unknown }) {
    $0.text.utf8CodeUnitCount
  }

  private static let table: [(name: HeaderName, long: StaticString, short: UInt8?)] = [
    (.accept, "Accept", nil), (.acceptEncoding, "Accept-Encoding", nil), (.allow, "Allow", nil),
    (.allowEvents, "Allow-Events", UInt8(ascii: "u")), (.authenticationInfo, "Authentication-Info", nil),
    (.authorization, "Authorization", nil), (.callID, "Call-ID", UInt8(ascii: "i")), (.contact, "Contact", UInt8(ascii: "m")),
    (.contentDisposition, "Content-Disposition", nil), (.contentEncoding, "Content-Encoding", UInt8(ascii: "e")),
    (.contentLength, "Content-Length", UInt8(ascii: "l")), (.contentType, "Content-Type", UInt8(ascii: "c")), (.cSeq, "CSeq", nil),
    (.date, "Date", nil), (.diversion, "Diversion", nil), (.event, "Event", UInt8(ascii: "o")), (.expires, "Expires", nil),
    (.from, "From", UInt8(ascii: "f")), (.maxForwards, "Max-Forwards", nil), (.minExpires, "Min-Expires", nil), (.minSE, "Min-SE", nil),
    (.pAssertedIdentity, "P-Asserted-Identity", nil), (.pAssociatedURI, "P-Associated-URI", nil),
    (.pCalledPartyID, "P-Called-Party-ID", nil), (.pPreferredIdentity, "P-Preferred-Identity", nil), (.path, "Path", nil),
    (.privacy, "Privacy", nil), (.proxyAuthenticate, "Proxy-Authenticate", nil), (.proxyAuthorization, "Proxy-Authorization", nil),
    (.proxyRequire, "Proxy-Require", nil), (.rAck, "RAck", nil), (.rSeq, "RSeq", nil), (.reason, "Reason", nil),
    (.recordRoute, "Record-Route", nil), (.referTo, "Refer-To", UInt8(ascii: "r")), (.remotePartyID, "Remote-Party-ID", nil),
    (.replaces, "Replaces", nil), (.require, "Require", nil), (.retryAfter, "Retry-After", nil), (.route, "Route", nil),
    (.server, "Server", nil), (.serviceRoute, "Service-Route", nil), (.sessionExpires, "Session-Expires", UInt8(ascii: "x")),
    (.subject, "Subject", UInt8(ascii: "s")), (.supported, "Supported", UInt8(ascii: "k")), (.timestamp, "Timestamp", nil),
    (.to, "To", UInt8(ascii: "t")), (.unsupported, "Unsupported", nil), (.userAgent, "User-Agent", nil), (.via, "Via", UInt8(ascii: "v")),
    (.wwwAuthenticate, "WWW-Authenticate", nil), (.warning, "Warning", nil), (.unknown, "", nil),
  ]
}
