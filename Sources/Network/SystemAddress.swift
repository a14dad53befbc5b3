// The compiler counts `sockaddr` to the first door whose header brings it.
internal import CCares
internal import CLibUV
internal import Glibc
internal import Primitives

extension SocketAddress {
  /// Calls `body` with the address as the system wants it.
  func withSystemAddress<Value>(_ body: (UnsafePointer<sockaddr>) -> Value) -> Value {
    if ip.isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: ip.bytes) }
      return unsafe withUnsafeBytes(of: address) { unsafe call(body, with: $0) }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (ip.ipv4 ?? 0).bigEndian
    return unsafe withUnsafeBytes(of: address) { unsafe call(body, with: $0) }
  }

  private func call<Value>(_ body: (UnsafePointer<sockaddr>) -> Value, with bytes: UnsafeRawBufferPointer) -> Value {
    // The buffer is never empty: it is a whole sockaddr_in or sockaddr_in6.
    guard let base = bytes.baseAddress else { preconditionFailure("an address without bytes") }
    return unsafe body(base.assumingMemoryBound(to: sockaddr.self))
  }

  /// nil for another family than IPv4 and IPv6.
  init?(system: UnsafePointer<sockaddr>?) {
    guard let system = unsafe system else { return nil }
    let raw = unsafe UnsafeRawPointer(system)
    switch unsafe Int32(system.pointee.sa_family) {
    case AF_INET:
      let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      self.init(ip: IPAddress(ipv4: UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
    case AF_INET6:
      let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      guard let ip = unsafe withUnsafeBytes(of: address.sin6_addr, { IPAddress(bytes: unsafe Bytes($0)) }) else { return nil }
      self.init(ip: ip, port: UInt16(bigEndian: address.sin6_port))
    default: return nil
    }
  }

  /// What a `getsockname`-like function of libuv says.
  init?(reading read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32) {
    var storage = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    let address: SocketAddress? = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return nil }
      return unsafe read(base, &length) == 0 ? SocketAddress(system: base) : nil
    }
    guard let address else { return nil }
    self = address
  }
}
