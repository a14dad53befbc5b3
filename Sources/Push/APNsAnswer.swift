import Primitives

/// What Apple's push service answered to one request.
struct APNsAnswer: Sendable, Equatable {
  let status: Int
  var reason: String?
  /// With 410: since when the token is dead.
  var since: Instant?
  /// The service's wish for the next try.
  var retryAfter: Duration?

  enum Verdict: Equatable {
    case accepted
    case tokenGone(since: Instant?)
    /// Out of order for the moment, nothing was taken.
    case retry
    /// The provider token is too old.
    case tokenExpired
    case refused(PushRefusal)
  }

  /// As Apple's "Handling notification responses from APNs" has it. The words decide; a word that is not known leaves it to the status.
  var verdict: Verdict {
    switch (status, reason) {
    case (200, _): .accepted
    case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, _): .tokenGone(since: since)
    case (403, "ExpiredProviderToken"): .tokenExpired
    // These name the connection, not the push; the service ends it and the next one is good.
    case (400, "IdleTimeout"), (403, "UnrelatedKeyIdInToken"): .retry
    // At the border of two slots, where nodes' clocks differ: waiting helps, until all are in the same.
    case (429, "TooManyProviderTokenUpdates"), (500..., _): .retry
    case (429, _): .refused(.throttled)
    case (403, _), (400, "BadTopic"), (400, "TopicDisallowed"): .refused(.configuration)
    default: .refused(.request)
    }
  }
}
