internal import CLibUV
internal import Glibc
public import Primitives

/// The keys that somebody presses on a terminal, as they are pressed, without being shown. Ctrl-C is a key like the others then.
@LoopActor
public final class KeyInput {
  private var handle: UVHandle?
  private let pressed: @LoopActor (Slice) -> Void

  /// - Parameters:
  ///   - descriptor: of the terminal. Other than 0 to 2 it belongs to the input from here on, which closes it.
  ///   - pressed: gets the bytes of one key or more; none at the end of the input.
  /// - Throws: also where the descriptor is no terminal.
  public init(of descriptor: Int32, _ pressed: @escaping @LoopActor (Slice) -> Void) throws(NetworkError) {
    self.pressed = pressed
    guard isatty(descriptor) == 1 else { throw .system("ENOTTY") }
    let handle = unsafe try UVHandle(owner: self) { unsafe uv_tty_init($0, $1, descriptor, 1) }
    self.handle = handle
    unsafe try handle.check(uv_tty_set_mode(handle.tty, UV_TTY_MODE_RAW))
    unsafe try handle.check(startReading(handle.stream))
  }

  private func startReading(_ stream: UnsafeMutablePointer<uv_stream_t>) -> Int32 {
    unsafe uv_read_start(
      stream, { _, _, buffer in unsafe lend(buffer) },
      { stream, count, buffer in
        let bytes = unsafe copy(count, of: buffer)
        unsafe enterLoop(stream, as: KeyInput.self) { $0.received(count, bytes) }
      })
  }

  private func received(_ count: Int, _ bytes: Bytes) {
    guard count != 0, let handle else { return }
    if count < 0 { unsafe uv_read_stop(handle.stream) }
    pressed(bytes[...])
  }

  /// The terminal does again what it did before.
  public func close() {
    guard let handle, handle.isOpen else { return }
    unsafe uv_tty_set_mode(handle.tty, UV_TTY_MODE_NORMAL)
    handle.close()
  }
}
