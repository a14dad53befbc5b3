// The compiler counts `sockaddr_storage` to the first door whose header brings it.
internal import CCares
internal import CLibUV
internal import Glibc
public import Primitives

/// A UDP socket. Datagrams are received in batches, sent at once where the system takes them, else queued up to a limit; what is
/// over the limit is lost, as datagrams may be.
@LoopActor
public final class UDPSocket {
  public private(set) var local: SocketAddress
  /// Called with the address that could not be reached, when an ICMP error about it came or the system refused to send to it.
  public var onError: (@LoopActor (SocketAddress) -> Void)?
  /// Datagrams that were not sent because the queue was full.
  public private(set) var lost = 0

  private let receive: @LoopActor (_ datagram: Slice, _ from: SocketAddress) -> Void
  private var handle: UVHandle?
  private let queueLimit: Int
  private var hasReadSinceEmpty = false

  /// Port 0 takes a free one. An IPv6 socket takes IPv6 only, so that both families can have the same port.
  /// - Parameters:
  ///   - sharesAddress: sets SO_REUSEADDR. On Linux two processes that set it can hold one UDP port, and one of them hears nothing.
  ///   - queueLimit: bytes.
  public init(
    bind address: SocketAddress, sharesAddress: Bool = false, queueLimit: Int = 1 << 20,
    receive: @escaping @LoopActor (_ datagram: Slice, _ from: SocketAddress) -> Void
  ) throws(NetworkError) {
    local = address
    self.receive = receive
    self.queueLimit = queueLimit
    let handle = unsafe try UVHandle(owner: self) { unsafe shim_udp_init($0, $1) }
    self.handle = handle
    try handle.check(bind(handle, address, sharesAddress))
    local = unsafe SocketAddress(reading: { unsafe uv_udp_getsockname(handle.udp, $0, $1) }) ?? address
    // Bursts of calls must not be lost while another callback runs; the system may grant less.
    var size: Int32 = 4 << 20
    unsafe setsockopt(handle.fileDescriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    try handle.check(startReading(handle))
  }

  private func bind(_ handle: UVHandle, _ address: SocketAddress, _ sharesAddress: Bool) -> Int32 {
    var flags = UV_UDP_LINUX_RECVERR.rawValue
    if sharesAddress { flags |= UV_UDP_REUSEADDR.rawValue }
    if address.ip.isIPv6 { flags |= UV_UDP_IPV6ONLY.rawValue }
    return unsafe address.withSystemAddress { unsafe uv_udp_bind(handle.udp, $0, flags) }
  }

  private func startReading(_ handle: UVHandle) -> Int32 {
    unsafe uv_udp_recv_start(
      handle.udp,
      { _, _, buffer in
        let memory = unsafe LoopActor.shared.executor.buffers.datagrams
        unsafe buffer?.pointee = uv_buf_init(memory.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
      },
      { handle, count, buffer, address, flags in
        // The last call of a batch only gives the memory back.
        if flags & UV_UDP_MMSG_FREE.rawValue != 0 { return }
        let from = unsafe SocketAddress(system: address)
        let datagram = unsafe copy(from == nil ? 0 : count, of: buffer)
        unsafe enterLoop(handle, as: UDPSocket.self) { $0.received(count, datagram, from) }
      })
  }

  private func received(_ count: Int, _ datagram: Bytes, _ from: SocketAddress?) {
    guard handle?.isOpen == true else { return }
    if let from, count >= 0 {
      hasReadSinceEmpty = true
      receive(datagram[...], from)
    } else {
      // Woken for nothing to read: the error queue is what made the socket ready, and keeps it so until it is empty.
      if count < 0 || !hasReadSinceEmpty { readErrors() }
      hasReadSinceEmpty = false
    }
  }

  /// Hands the ICMP errors that came to `onError`, later in this turn. At most 64 at once; the rest wakes the loop again.
  private func readErrors() {
    guard let handle, handle.isOpen else { return }
    let descriptor = handle.fileDescriptor
    for _ in 0..<64 {
      var storage = sockaddr_storage()
      var code: Int32 = 0
      guard unsafe shim_next_icmp_error(descriptor, &storage, &code) == 1 else { return }
      let address = unsafe withUnsafeBytes(of: storage) {
        unsafe SocketAddress(system: $0.baseAddress?.assumingMemoryBound(to: sockaddr.self))
      }
      // A datagram that was too large for the path is sent again in fragments by the system; it says nothing about the peer.
      if let address, code != EMSGSIZE { report(address) }
    }
  }

  private func report(_ address: SocketAddress) {
    Loop.soon { [weak self] in self?.onError?(address) }
  }

  public func send(_ datagram: Bytes, to address: SocketAddress) {
    guard let handle, handle.isOpen else { return }
    var status = trySend(handle, datagram, address)
    // An error that an earlier datagram met is told by the next send, whose datagram was not sent.
    if status < 0, status != UV_EAGAIN.rawValue {
      readErrors()
      status = trySend(handle, datagram, address)
    }
    if status == UV_EAGAIN.rawValue {
      queue(handle, datagram, address)
    } else if status < 0 {
      report(address)
    }
  }

  private func trySend(_ handle: UVHandle, _ datagram: Bytes, _ address: SocketAddress) -> Int32 {
    unsafe address.withSystemAddress { system in
      unsafe datagram.withUnsafeBufferPointer { bytes in
        var part = unsafe buffer(over: bytes)
        return unsafe uv_udp_try_send(handle.udp, &part, 1, system)
      }
    }
  }

  private func queue(_ handle: UVHandle, _ datagram: Bytes, _ address: SocketAddress) {
    guard unsafe uv_udp_get_send_queue_size(handle.udp) + datagram.count <= queueLimit else {
      lost += 1
      return
    }
    let request = unsafe OutgoingRequest(datagram[...], size: MemoryLayout<uv_udp_send_t>.size) { _ in }
    let status = unsafe address.withSystemAddress { system in
      unsafe uv_udp_send(request.pointer(), handle.udp, request.part, 1, system) { request, status in
        unsafe OutgoingRequest.finish(request, status)
      }
    }
    if status < 0 { request.discard() }
  }

  /// Nothing is received or sent after this.
  public func close() {
    onError = nil
    handle?.close()
  }
}
