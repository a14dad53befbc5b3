internal import CLibUV
internal import Primitives

/// A send, write, connect or shutdown that libuv has not finished: the request and its bytes stay where they are until it has.
@LoopActor
@safe
final class OutgoingRequest {
  /// One buffer, for the parameter that takes an array of them.
  let part = UnsafeMutablePointer<uv_buf_t>.allocate(capacity: 1)
  private let memory: UnsafeMutableRawPointer
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let onDone: @LoopActor (_ status: Int32) -> Void

  /// Copies the bytes. Lives until `finish` or `discard`.
  init(_ content: Slice = [], size: Int, onDone: @escaping @LoopActor (_ status: Int32) -> Void) {
    self.onDone = onDone
    unsafe memory = .allocate(byteCount: size, alignment: 16)
    unsafe bytes = .allocate(capacity: content.count)
    _ = unsafe bytes.initialize(from: content)
    unsafe part.initialize(to: buffer(over: UnsafeBufferPointer(bytes)))
    unsafe memory.assumingMemoryBound(to: uv_req_t.self).pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  private func free() {
    unsafe bytes.deallocate()
    unsafe part.deallocate()
    unsafe memory.deallocate()
  }

  /// The request as the type that the caller's function takes, which is the one whose size it gave.
  func pointer<Raw>(as type: Raw.Type = Raw.self) -> UnsafeMutablePointer<Raw> {
    unsafe memory.assumingMemoryBound(to: type)
  }

  /// libuv's callback.
  nonisolated static func finish<Raw>(_ pointer: UnsafeMutablePointer<Raw>?, _ status: Int32) {
    guard let pointer = unsafe pointer,
      let data = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_req_t.self).pointee.data
    else { return }
    let request = unsafe Unmanaged<OutgoingRequest>.fromOpaque(data).takeRetainedValue()
    LoopActor.assumeIsolated {
      request.onDone(status)
      request.free()
    }
  }

  /// For a request that libuv did not take.
  func discard() {
    free()
    unsafe Unmanaged.passUnretained(self).release()
  }
}

/// libuv's buffers are mutable by type; a send does not write to them.
func buffer(over bytes: UnsafeBufferPointer<UInt8>) -> uv_buf_t {
  let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
  return unsafe uv_buf_init(base, UInt32(bytes.count))
}
