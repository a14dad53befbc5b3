import Glibc
public import Network
public import Primitives

public let anyPort = SocketAddress(ip: .loopbackIPv4, port: 0)
public let anyPortIPv6 = SocketAddress("[::1]:0") ?? anyPort

/// Addresses of the loopback network that nobody else uses: every port of them is free, so programs can be told which to take, and
/// tests run beside each other. The process is in the address: two test runs on one machine do not meet.
@LoopActor
public enum Loopback {
  private static var given: UInt32 = 0

  public static func address() -> IPAddress {
    given += 1
    let process = UInt32(getpid())
    let octets = [127, 16 + given % 239, process >> 8 & 255, max(process & 255, 1)].map { String($0) }
    return IPAddress(octets.joined(separator: ".")) ?? .loopbackIPv4
  }

  /// Any free port of an address of its own.
  public static func anyPort() -> SocketAddress { SocketAddress(ip: address(), port: 0) }
}
