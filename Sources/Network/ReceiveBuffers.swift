internal import CLibUV
internal import Primitives

/// Where the loop reads into: one buffer for all streams and one for all datagram sockets, because each read is copied out before
/// the next one starts.
@safe
struct ReceiveBuffers {
  let stream = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
  /// libuv reads one datagram per 64 KiB of buffer with one call, up to 20.
  let datagrams = UnsafeMutableRawBufferPointer.allocate(byteCount: 20 * 64 * 1024, alignment: 16)
}

/// Gives libuv the buffer of all streams to read into.
func lend(_ buffer: UnsafeMutablePointer<uv_buf_t>?) {
  let memory = unsafe LoopActor.shared.executor.buffers.stream
  unsafe buffer?.pointee = uv_buf_init(memory.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
}

/// The bytes of a buffer that libuv filled, copied.
func copy(_ count: Int, of buffer: UnsafePointer<uv_buf_t>?) -> Bytes {
  guard count > 0, let base = unsafe buffer?.pointee.base else { return [] }
  return unsafe Bytes(UnsafeRawBufferPointer(start: base, count: count))
}
