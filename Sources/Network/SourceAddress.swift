internal import CLibUV
public import Primitives

/// Which address of this machine the system would send from.
@LoopActor
public enum SourceAddress {
  /// nil where there is no way to `address`. Nothing is sent: a UDP socket is only connected.
  public static func toward(_ address: SocketAddress) -> IPAddress? {
    let probe = Probe()
    guard let handle = unsafe try? UVHandle(owner: probe, { unsafe uv_udp_init($0, $1) }) else { return nil }
    defer { handle.close() }
    guard unsafe address.withSystemAddress({ unsafe uv_udp_connect(handle.udp, $0) }) == 0 else { return nil }
    return unsafe SocketAddress(reading: { unsafe uv_udp_getsockname(handle.udp, $0, $1) })?.ip
  }

  private final class Probe {}
}
