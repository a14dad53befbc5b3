internal import CLibUV

/// One handler of one signal.
@LoopActor
final class SignalHandler {
  private let body: @LoopActor () -> Void
  private var handle: UVHandle?

  init(_ number: Int32, _ body: @escaping @LoopActor () -> Void) throws(NetworkError) {
    self.body = body
    let handle = unsafe try UVHandle(owner: self) { unsafe uv_signal_init($0, $1) }
    self.handle = handle
    let status = unsafe uv_signal_start(
      handle.signal, { handle, _ in unsafe enterLoop(handle, as: SignalHandler.self) { $0.body() } }, number)
    try handle.check(status)
  }
}
