/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
  /// Of an IPv4 address the low 32 bits. No array: addresses are keys of every message's look-ups.
  private let number: UInt128
  public let isIPv6: Bool

  /// 4 or 16 bytes, network order.
  public var bytes: Bytes {
    let count = isIPv6 ? 16 : 4
    return (1...count).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * (count - $0))) }
  }

  /// nil unless there are 4 or 16 bytes. An IPv4-mapped IPv6 address becomes the IPv4 address that it is.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    let isMapped = bytes.count == 16 && number >> 32 == 0xFFFF
    self.number = isMapped ? number & 0xFFFF_FFFF : number
    isIPv6 = bytes.count == 16 && !isMapped
  }

  public init(ipv4: UInt32) {
    number = UInt128(ipv4)
    isIPv6 = false
  }

  /// nil for an IPv6 address.
  public var ipv4: UInt32? { isIPv6 ? nil : UInt32(truncatingIfNeeded: number) }

  /// `0.0.0.0` or `::`.
  public var isUnspecified: Bool { number == 0 }

  /// What one host has at the least: an IPv4 address, or the /64 of an IPv6 address.
  public var subnet: UInt64 { UInt64(truncatingIfNeeded: isIPv6 ? number >> 64 : number) }

  /// Dotted quad (RFC 6943 §3.1.1 strict) or RFC 4291 §2.2 text, without brackets and without zone.
  public init?(_ text: some Collection<UInt8>) {
    let text = Array(text)
    guard let bytes = text.contains(UInt8(ascii: ":")) ? Self.parseIPv6(text) : Self.parseIPv4(text[...]) else { return nil }
    self.init(bytes: bytes)
  }

  public init?(_ text: String) { self.init(Array(text.utf8)) }

  private static func parseIPv4(_ text: Slice) -> Bytes? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes = Bytes()
    for part in parts {
      guard part.count == 1 || (part.count <= 3 && part.first != UInt8(ascii: "0")), let number = part.decimal(as: UInt8.self) else {
        return nil
      }
      bytes.append(number)
    }
    return bytes
  }

  private static func parseIPv6(_ text: Bytes) -> Bytes? {
    guard text.count <= 45 else { return nil }
    if let gap = text.indices.dropLast().first(where: { text[$0] == 58 && text[$0 + 1] == 58 }) {
      guard let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]), head.count + tail.count <= 14 else { return nil }
      return head + Bytes(repeating: 0, count: 16 - head.count - tail.count) + tail
    }
    guard let all = groups(text[...]), all.count == 16 else { return nil }
    return all
  }

  /// Colon-separated groups of hexadecimal digits, the last may be a dotted quad.
  private static func groups(_ text: Slice) -> Bytes? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var bytes = Bytes()
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
        guard let quad = parseIPv4(part) else { return nil }
        bytes += quad
      } else {
        guard (1...4).contains(part.count) else { return nil }
        var group: UInt16 = 0
        for digit in part {
          guard let value = Hex.value(of: digit) else { return nil }
          group = group << 4 | UInt16(value)
        }
        bytes += [UInt8(group >> 8), UInt8(group & 255)]
      }
    }
    return bytes
  }

  /// RFC 5952 text, without brackets.
  public var text: String {
    guard isIPv6 else { return ipv4Text }
    let bytes = bytes
    let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    guard let gap = Self.longestZeros(groups) else { return Self.hex(groups[...]) }
    return Self.hex(groups[..<gap.lowerBound]) + "::" + Self.hex(groups[gap.upperBound...])
  }

  private var ipv4Text: String {
    var text = Bytes()
    text.reserveCapacity(15)
    for shift in [24, 16, 8, 0] {
      text.append(decimal: UInt8(truncatingIfNeeded: number >> UInt128(shift)))
      if shift > 0 { text.append(UInt8(ascii: ".")) }
    }
    return text.text
  }

  private static func hex(_ groups: ArraySlice<UInt16>) -> String {
    groups.map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// The first of the longest runs of two or more zero groups.
  private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
    var best: Range<Int>?
    var start = 0
    while start < groups.count {
      let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
      if end - start >= 2, end - start > (best?.count ?? 1) { best = start..<end }
      start = max(end, start) + 1
    }
    return best
  }

  public static let loopbackIPv4 = IPAddress(ipv4: 0x7F00_0001)
}

/// An address and a port.
public struct SocketAddress: Hashable, Sendable {
  public var ip: IPAddress
  public var port: UInt16

  public init(ip: IPAddress, port: UInt16) {
    self.ip = ip
    self.port = port
  }

  /// `192.0.2.1:5060` or `[2001:db8::1]:5060`; the port is required.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")), let port = bytes[(colon + 1)...].decimal(as: UInt16.self) else { return nil }
    var host = bytes[..<colon]
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
      guard host.contains(UInt8(ascii: ":")) else { return nil }
    } else if host.contains(UInt8(ascii: ":")) {
      return nil
    }
    guard let ip = IPAddress(host) else { return nil }
    self.init(ip: ip, port: port)
  }

  public var text: String { ip.isIPv6 ? "[\(ip.text)]:\(port)" : "\(ip.text):\(port)" }
}
