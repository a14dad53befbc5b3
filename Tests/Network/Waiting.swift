import Primitives

@testable import Network

/// A value that comes once, for tests that wait for a callback. Gives nil when it does not come in time.
@LoopActor
final class Once<Value: Sendable> {
  private var value: Value?
  private var waiter: CheckedContinuation<Value?, Never>?

  func came(_ value: Value) {
    if let waiter {
      self.waiter = nil
      waiter.resume(returning: value)
    } else if self.value == nil {
      self.value = value
    }
  }

  func wait(_ limit: Duration = .seconds(10)) async -> Value? {
    if let value { return value }
    let timer = Loop.after(limit) { [self] in
      waiter?.resume(returning: nil)
      waiter = nil
    }
    let value = await withCheckedContinuation { waiter = $0 }
    timer.cancel()
    return value
  }
}

let anyPort = SocketAddress(ip: .loopbackIPv4, port: 0)
let anyPortIPv6 = SocketAddress("[::1]:0") ?? anyPort
