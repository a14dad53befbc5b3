internal import CLibUV

/// A libuv handle on the heap. It keeps its owner alive until it is closed; memory and owner are let go in libuv's close callback.
@LoopActor
@safe
final class UVHandle {
  private let memory: UnsafeMutableRawPointer
  private(set) var isOpen = true
  private var onClosed: (@LoopActor () -> Void)?

  /// `initialize` is libuv's init function of the handle.
  init<Raw>(
    owner: AnyObject, _ initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
  ) throws(NetworkError) {
    let pointer = UnsafeMutablePointer<Raw>.allocate(capacity: 1)
    unsafe memory = UnsafeMutableRawPointer(pointer)
    let status = unsafe initialize(LoopActor.shared.executor.loop, pointer)
    guard status == 0 else {
      unsafe memory.deallocate()
      throw NetworkError(uv: status)
    }
    unsafe uv_handle_set_data(erased, Unmanaged.passRetained(owner).toOpaque())
  }

  private var erased: UnsafeMutablePointer<uv_handle_t> { unsafe memory.assumingMemoryBound(to: uv_handle_t.self) }
  var timer: UnsafeMutablePointer<uv_timer_t> { unsafe memory.assumingMemoryBound(to: uv_timer_t.self) }
  var signal: UnsafeMutablePointer<uv_signal_t> { unsafe memory.assumingMemoryBound(to: uv_signal_t.self) }
  var udp: UnsafeMutablePointer<uv_udp_t> { unsafe memory.assumingMemoryBound(to: uv_udp_t.self) }
  var tcp: UnsafeMutablePointer<uv_tcp_t> { unsafe memory.assumingMemoryBound(to: uv_tcp_t.self) }
  var tty: UnsafeMutablePointer<uv_tty_t> { unsafe memory.assumingMemoryBound(to: uv_tty_t.self) }
  var poll: UnsafeMutablePointer<uv_poll_t> { unsafe memory.assumingMemoryBound(to: uv_poll_t.self) }
  /// Every stream handle begins with the fields of `uv_stream_t`.
  var stream: UnsafeMutablePointer<uv_stream_t> { unsafe memory.assumingMemoryBound(to: uv_stream_t.self) }

  var fileDescriptor: Int32 {
    var descriptor: Int32 = -1
    _ = unsafe uv_fileno(erased, &descriptor)
    return descriptor
  }

  /// Throws what a failed call says, after closing the handle.
  func check(_ status: Int32) throws(NetworkError) {
    guard status < 0 else { return }
    close()
    throw NetworkError(uv: status)
  }

  /// Closes once. `then` runs when libuv is done with the handle, in this turn of the loop.
  func close(then: (@LoopActor () -> Void)? = nil) {
    guard isOpen else { return }
    isOpen = false
    onClosed = then
    unsafe closing[UInt(bitPattern: memory)] = self
    unsafe uv_close(erased) { handle in
      let key = UInt(bitPattern: handle)
      LoopActor.assumeIsolated { closing.removeValue(forKey: key)?.closed() }
    }
  }

  private func closed() {
    if let data = unsafe uv_handle_get_data(erased) { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
    unsafe memory.deallocate()
    onClosed?()
    onClosed = nil
  }
}

/// Handles between `uv_close` and its callback.
@LoopActor private var closing: [UInt: UVHandle] = [:]

/// Enters the loop's isolation from a callback of libuv, with the owner of the handle.
func enterLoop<Raw, Owner: AnyObject & Sendable>(
  _ handle: UnsafeMutablePointer<Raw>?, as owner: Owner.Type, _ body: @LoopActor (Owner) -> Void
) {
  guard let owner = unsafe handleOwner(handle, as: owner) else { return }
  LoopActor.assumeIsolated { body(owner) }
}

private func handleOwner<Raw, Owner: AnyObject>(_ handle: UnsafeMutablePointer<Raw>?, as owner: Owner.Type) -> Owner? {
  guard let handle = unsafe handle else { return nil }
  let erased = unsafe UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  guard let data = unsafe uv_handle_get_data(erased) else { return nil }
  return unsafe Unmanaged<AnyObject>.fromOpaque(data).takeUnretainedValue() as? Owner
}
