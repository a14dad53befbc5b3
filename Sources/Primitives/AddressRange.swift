/// A range of addresses in CIDR notation, such as `127.0.0.0/8` or `fc00::/7`.
public struct AddressRange: Hashable, Sendable {
  public let base: IPAddress
  public let prefixLength: Int

  /// An address alone is the range that holds only it.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let base = IPAddress(String(parts[0])) else { return nil }
    let width = base.bytes.count * 8
    guard let length = parts.count == 1 ? width : Array(parts[1].utf8).decimal(), (0...width).contains(length) else { return nil }
    self.base = base
    prefixLength = length
  }

  public func contains(_ address: IPAddress) -> Bool {
    guard address.bytes.count == base.bytes.count else { return false }
    return zip(address.bytes, base.bytes).enumerated().allSatisfy { index, pair in
      let bits = min(max(prefixLength - index * 8, 0), 8)
      return (pair.0 ^ pair.1) & ~(UInt8(truncatingIfNeeded: 0xFF >> bits)) == 0
    }
  }
}
