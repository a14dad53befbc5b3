import Primitives

/// What happens in a call. The raw value is the first word of the caller's name: phones act by it.
enum CallKind: String, CaseIterable {
  /// The phone answers and hangs up.
  case hungup
  /// The phone answers, the caller hangs up.
  case answered
  /// The same, much later: faults come and go meanwhile.
  case long
  case declined
  /// The caller gives up soon.
  case cancelled
  /// The caller gives up late.
  case patient
  /// Nobody does anything until the server gives up.
  case ringing

  /// Of about twenty calls.
  var share: Int {
    switch self {
    case .hungup: 5
    case .answered, .declined, .cancelled: 4
    case .patient, .long: 1
    case .ringing: 2
    }
  }

  /// When the caller gives up, after it began; nobody waits for ever.
  var patience: Duration {
    switch self {
    case .cancelled: .seconds(3)
    case .patient: .seconds(15)
    default: .seconds(150)
    }
  }

  /// When the caller hangs up, after the answer: where the phone should, long after it.
  var talk: Duration {
    switch self {
    case .answered: .seconds(5)
    case .long: .seconds(30)
    default: .seconds(60)
    }
  }

  /// Each as often as its share.
  static let deck = allCases.flatMap { [CallKind](repeating: $0, count: $0.share) }
}
