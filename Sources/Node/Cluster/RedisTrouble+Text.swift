import RedisStore

extension RedisTrouble {
  /// For the log.
  var word: StaticString {
    switch self {
    case .persistence: "persistence"
    case .accessDenied: "access-denied"
    case .noPrimaryKnown: "no-primary-known"
    case .notPrimary: "replica"
    case .tooFewReplicas: "too-few-replicas"
    case .unreachable: "unreachable"
    case .noAnswer: "no-answer"
    case .protocolError: "not-redis"
    }
  }

  /// For whoever has configured it.
  var explanation: String {
    switch self {
    case .persistence: "it writes to a disk (save or appendonly is on): turn that off, or set redis.allow_persistence"
    case .accessDenied(let code):
      "it refuses this user (\(code)): see redis.username, redis.password, and what a user needs in cluster/README.md"
    case .noPrimaryKnown: "no Sentinel that answers knows the primary: see redis.sentinels, redis.primary and redis.sentinel_password"
    case .notPrimary: "this is a replica: redis.url has to name the primary"
    case .tooFewReplicas: "it has fewer replicas than it wants (min-replicas-to-write) and takes no writes"
    case .unreachable: "it cannot be reached, or its certificate is not trusted: see redis.url and redis.ca"
    case .noAnswer: "it does not answer"
    case .protocolError: "what answers is no Redis, or one that wants TLS (rediss:)"
    }
  }
}
