internal import Primitives
public import SIP

/// What RFC 3263 is asked to find.
public struct SIPDestination: Hashable, Sendable {
  /// A name, an IPv4 address, or an IPv6 address with or without brackets.
  public var host: String
  public var port: UInt16?
  /// Given by a `transport` parameter or by somebody's choice.
  public var transport: Transport?
  /// A `sips` URI: nothing but TLS.
  public var isSecure: Bool
  /// For a registrar whose user left the transport to us: NAPTR, then SRV for TLS, TCP, UDP, then each of them at its own port. Else a
  /// host without records is reached by UDP.
  public var isAuto: Bool

  public init(host: String, port: UInt16? = nil, transport: Transport? = nil, isSecure: Bool = false, isAuto: Bool = false) {
    self.host = host
    self.port = port
    self.transport = transport
    self.isSecure = isSecure
    self.isAuto = isAuto
  }

  /// nil where the URI leads to no host, or by a transport that is not spoken here. Of a `tel` URI that is so always.
  public init?(_ uri: URI) {
    guard uri.scheme == .sip || uri.scheme == .sips, let hostPort = uri.hostPort else { return nil }
    let host = uri.parameters["maddr"] ?? hostPort.host
    self.init(host: host.text, port: hostPort.port, isSecure: uri.scheme == .sips)
    guard let name = uri.parameters["transport"] else { return }
    guard let transport = Transport.allCases.first(where: { name.equalsIgnoringCase($0.viaName) }) else { return nil }
    self.transport = transport
  }
}
