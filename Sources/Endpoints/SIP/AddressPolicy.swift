public import Primitives

/// To which addresses a name that a user gave may lead. What is no public address is refused unless the configuration allows it:
/// otherwise a set-up could make this server talk to machines that only it can reach.
public struct AddressPolicy: Sendable {
  /// Ranges that are taken although they are private.
  public var allowed: [AddressRange]

  public init(allowed: [AddressRange] = []) { self.allowed = allowed }

  public func permits(_ address: IPAddress) -> Bool {
    allowed.contains { $0.contains(address) } || !Self.special.contains { $0.contains(address) }
  }

  /// RFC 6890 and its registries, all that is not globally reachable: this network, private, shared, loopback, link-local, for protocols,
  /// documentation, benchmarks and old relays, reserved; and multicast.
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16",
    "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "::/128", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32", "2002::/16",
    "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
  ].compactMap { AddressRange($0) }
}
