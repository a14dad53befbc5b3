public import Cryptography
public import Primitives

/// A host, as a name or an address, and a port.
public struct RedisAddress: Hashable, Sendable {
  public let host: String
  public let port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

/// A user of Redis' access control list; without a name it is the default user.
public struct RedisCredentials: Hashable, Sendable, Discreet {
  public let user: String?
  public let password: String

  public init(user: String?, password: String) {
    self.user = user
    self.password = password
  }
}

/// Which Redis, and how.
public struct RedisSettings: Sendable {
  public var place: Place
  public var credentials: RedisCredentials?
  /// nil: plain TCP. The certificate has to name the host as it is configured, or as Sentinel gives it.
  public var tls: TLSContext?
  public var sentinelCredentials: RedisCredentials?
  /// To Sentinels, as above.
  public var sentinelTLS: TLSContext?
  /// Where false, a Redis that writes to a disk is not used.
  public var allowsPersistence = false
  public var limits = Limits()

  public enum Place: Sendable {
    case fixed(RedisAddress)
    /// Those who know where the primary of that name is.
    case sentinels([RedisAddress], primary: String)
  }

  public struct Limits: Sendable {
    /// To connect to one host, TLS included.
    public var connecting = Duration.milliseconds(700)
    /// Silence for longer than this, where an answer is awaited, ends the connection.
    public var answering = Duration.seconds(1)
    public var pingEvery = Duration.milliseconds(500)
    /// Between two attempts: from the first to the last, twice as long each time, shortened at random by up to a half.
    public var firstPause = Duration.milliseconds(50)
    public var longestPause = Duration.seconds(1)
    /// Commands without an answer, sent or not.
    public var commands = 20_000
    /// Bytes that wait to be sent.
    public var queuedBytes = 32 << 20
  }

  public init(place: Place) { self.place = place }
}

/// Why Redis is not used at this moment.
public enum RedisTrouble: Error, Hashable, Sendable {
  /// It writes to a disk, and that is not allowed.
  case persistence
  /// Wrong user or password, or the user may not do what is needed; the word of Redis for it.
  case accessDenied(String)
  /// No Sentinel that can be reached knows a primary.
  case noPrimaryKnown
  /// What was said to be the primary is none (yet, or no more).
  case notPrimary
  /// It is told to want more replicas than it has, and takes no writes.
  case tooFewReplicas
  /// The name does not exist, nothing listens, TLS fails and the like.
  case unreachable
  case noAnswer
  /// What came is not Redis' protocol, or an error that nobody expects here.
  case protocolError

  /// Waiting does not help.
  public var isFinal: Bool {
    switch self {
    case .persistence, .accessDenied: true
    default: false
    }
  }
}

/// Why a command has no answer.
public enum RedisFailure: Error, Hashable, Sendable {
  /// It was certainly not done.
  case notDone
  /// It may have been done.
  case unknown
  /// Too many wait already: not done.
  case queueFull
}
