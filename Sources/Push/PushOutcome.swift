public import Primitives

/// What became of one push, said exactly once.
public enum PushOutcome: Hashable, Sendable {
  /// The push service has taken it; whether the device gets it nobody knows.
  case accepted
  /// The device's token is dead, by the push service's word since then (nil: it did not say).
  case tokenGone(since: Instant?)
  case refused(PushRefusal)
  /// Surely not taken: the service could not be reached, or was out of order until the time was over.
  case unreachable
  /// Sent, but no answer came: it may have been taken, so it is not sent again.
  case unknown
  /// Too many pushes are under way; nothing was sent.
  case overloaded
}

public enum PushRefusal: String, Hashable, Sendable {
  /// Too many pushes to this device.
  case throttled
  /// The key, the team, the topic or the environment does not fit: for the operator to put right.
  case configuration
  /// The service finds the request itself wrong.
  case request
}

extension PushOutcome {
  /// For a metric.
  public var label: String {
    switch self {
    case .accepted: "accepted"
    case .tokenGone: "token_gone"
    case .refused(let refusal): "refused_" + refusal.rawValue
    case .unreachable: "unreachable"
    case .unknown: "unknown"
    case .overloaded: "overloaded"
    }
  }
}
