import Network
import Primitives
import SIP

/// Calls that ring, and are cancelled after a second: INVITE, 180, push, CANCEL, 487, ACK, a second push.
@LoopActor
final class CancelledCalls {
  private(set) var ring = Sample()
  private(set) var cancelled = 0

  private let bench: Bench
  private let calls: [PreparedCall]
  private var numbers: [String: Int] = [:]
  private var began: [Int: Instant] = [:]

  /// - Parameter first: number of the first call; no two calls of a bench may have the same.
  init(_ bench: Bench, count: Int, first: Int = 0) {
    self.bench = bench
    calls = (0..<count).map { bench.call(first + $0, to: $0 % bench.fleet.members.count) }
    for (number, call) in calls.enumerated() { numbers[call.name] = number }
    bench.pushService.onPush = nil
    bench.provider.onAnswer = { [weak self] in self?.callerHears($0, $1, $2) }
  }

  func run(perSecond rate: Int) async {
    await Pace.run(calls.count, perSecond: rate) { number in
      self.began[number] = Loop.now()
      self.bench.provider.ring(self.calls[number])
    }
    await Pace.pause(.seconds(3))
  }

  /// Calls that did not get as far as their 487.
  var lost: Int { calls.count - cancelled }

  private func callerHears(_ status: Int, _ name: String, _ response: Response) {
    guard let number = numbers[name] else { return }
    let (call, provider) = (calls[number], bench.provider)
    if status == 180, let began = began.removeValue(forKey: number) {
      ring.add(Loop.now() - began)
      Loop.after(.seconds(1)) { provider.send(call.cancel, of: call) }
    }
    guard status >= 200 else { return }
    if status == 487 { cancelled += 1 }
    provider.send(call.ack(response), of: call)
  }
}
