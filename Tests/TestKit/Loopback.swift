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

  /// 127.16.0.0 to 127.253.255.255: the lower 12 bits count, the others are the process's.
  public static func address() -> IPAddress {
    given = (given + 1) % 4096
    let number = (UInt32(getpid()) % 3800 + 256) << 12 | given
    return IPAddress(bytes: [127, UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]) ?? .loopbackIPv4
  }

  /// Any free port of an address of its own.
  public static func anyPort() -> SocketAddress { SocketAddress(ip: address(), port: 0) }
}
