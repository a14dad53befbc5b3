import Primitives

extension Checks {
  func addresses() -> [Finding] { [Self.admin(configuration)] + advertised() }

  /// Where the admin pages are; `serve` says it too where others may see them.
  public static func admin(_ configuration: Configuration) -> Finding {
    let listen = configuration.admin.listen
    return listen.ip.isInside
      ? .ok("admin.listen", listen.text)
      : .warning("admin.listen", "\(listen.text) may be reached from outside: it has no password and no TLS")
  }

  private func advertised() -> [Finding] {
    let sip = configuration.sip
    let isWild = [sip.listen.udp, sip.listen.tcp, sip.listen.tls].contains { $0?.ip.isUnspecified == true }
    guard isWild, sip.advertise == nil else { return [] }
    return [
      .warning("sip.advertise", "not given, and sip.listen names no single address: Contact has the address that a message leaves from")
    ]
  }
}

extension IPAddress {
  /// Loopback, link-local, private (RFC 1918, 4193) and shared (RFC 6598) addresses.
  var isInside: Bool { Self.insideRanges.contains { $0.contains(self) } }

  private static let insideRanges = [
    "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "::1", "fc00::/7", "fe80::/10",
  ].compactMap { AddressRange($0) }
}
