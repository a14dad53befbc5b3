internal import CLibUV

/// One socket of c-ares under the loop's poll. The socket itself is opened and closed by c-ares.
@LoopActor
final class ResolverSocket {
  private let descriptor: Int32
  private let ready: @LoopActor (_ readable: Int32, _ writable: Int32) -> Void
  private var handle: UVHandle?

  /// `ready` gets the descriptor in the place of what it is ready for, -1 in the other.
  init(_ descriptor: Int32, ready: @escaping @LoopActor (_ readable: Int32, _ writable: Int32) -> Void) {
    self.descriptor = descriptor
    self.ready = ready
    handle = unsafe try? UVHandle(owner: self) { unsafe uv_poll_init($0, $1, descriptor) }
  }

  func watch(readable: Bool, writable: Bool) {
    guard let handle else { return }
    let events = (readable ? UV_READABLE.rawValue : 0) | (writable ? UV_WRITABLE.rawValue : 0)
    _ = unsafe uv_poll_start(handle.poll, Int32(events)) { handle, status, events in
      unsafe enterLoop(handle, as: ResolverSocket.self) { $0.happened(status, UInt32(events)) }
    }
  }

  /// An error counts as readable: c-ares finds it when it reads.
  private func happened(_ status: Int32, _ events: UInt32) {
    guard handle?.isOpen == true else { return }
    let readable = status < 0 || events & UV_READABLE.rawValue != 0
    ready(readable ? descriptor : -1, events & UV_WRITABLE.rawValue != 0 ? descriptor : -1)
  }

  func close() { handle?.close() }
}
