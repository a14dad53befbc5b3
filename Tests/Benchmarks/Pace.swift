import Network
import Primitives

/// Does something `rate` times a second, each at its own moment: what is late does not make the next one late.
@LoopActor
enum Pace {
  static func run(_ count: Int, perSecond rate: Int, _ body: @escaping @LoopActor (Int) -> Void) async {
    let start = Loop.now()
    for number in 0..<count {
      let moment = start + .nanoseconds(Int64(number) * 1_000_000_000 / Int64(rate))
      if moment > Loop.now() { await until(moment) }
      body(number)
    }
  }

  static func until(_ moment: Instant) async {
    await withCheckedContinuation { continuation in
      Loop.at(moment) { continuation.resume() }
    }
  }

  static func pause(_ duration: Duration) async { await until(Loop.now() + duration) }
}
