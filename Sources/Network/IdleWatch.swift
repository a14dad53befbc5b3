internal import Primitives

/// Says when nothing happened for a while. `touch` is cheap: the timer looks at the last touch when it fires.
@LoopActor
final class IdleWatch {
  var limit: Duration? {
    didSet {
      timer?.cancel()
      timer = nil
      touch()
      if let limit { wait(limit) }
    }
  }

  private let expired: @LoopActor () -> Void
  private var last = Instant.zero
  private var timer: LoopTimer?

  init(expired: @escaping @LoopActor () -> Void) { self.expired = expired }

  func touch() {
    if limit != nil { last = Loop.now() }
  }

  private func wait(_ duration: Duration) {
    timer = Loop.after(duration) { [weak self] in self?.look() }
  }

  private func look() {
    guard let limit else { return }
    let left = last + limit - Loop.now()
    if left <= .zero { expired() } else { wait(left) }
  }
}
