import Primitives

/// The pauses of a registration.
enum RegistrationTimes {
  /// Guards against a resolver or a transaction that never reports back.
  static let longestResolving = Duration.seconds(30)
  static let longestFlight = TransactionTimers.giveUp + .seconds(8)
  /// After wrong credentials: only a person can change that.
  static let credentials = Duration.seconds(1800)
  static let longestRetryAfter: UInt32 = 86_400
  static let shortestRetry = Duration.seconds(5)
  /// A longer Min-Expires is a registrar that does not mean it.
  static let longestMinExpires: UInt32 = 86_400
  /// Seconds; a registrar that grants more is asked again all the same.
  static let longestBinding: UInt32 = 86_400
  /// Longer than a REGISTER of another owner is repeated (RFC 3261 §17.1.2.2, timer F).
  static let contested = Duration.seconds(40)
  /// However short a binding is, refreshes do not come closer together.
  static let shortestRefresh = Duration.seconds(5)

  /// 30 s, doubled with each refusal, up to 30 min.
  static func afterRefusals(_ count: Int) -> Duration { .seconds(min(30 << min(count - 1, 10), 1800)) }
  /// 5 s, doubled with each try that reached nobody, up to 5 min.
  static func afterOutages(_ count: Int) -> Duration { .seconds(min(5 << min(count - 1, 10), 300)) }
}

extension SeededRandom {
  /// When to refresh what was granted: at 50 to 80 % of it.
  mutating func refreshPause(granted: UInt32, isCertain: Bool) -> Duration {
    let share = isCertain ? Double.random(in: 0.5...0.8, using: &self) : 0.5
    return max(.seconds(Double(granted) * share), RegistrationTimes.shortestRefresh)
  }

  /// What the server asked for, never less, up to a tenth more; a server that asks for nothing gets a pause all the same.
  mutating func retryPause(_ seconds: UInt32) -> Duration {
    let asked = Double(min(seconds, RegistrationTimes.longestRetryAfter))
    return max(.seconds(asked * Double.random(in: 1...1.1, using: &self)), RegistrationTimes.shortestRetry)
  }
}
