/// What a node says of itself at one moment: the body of `/status.json`. Nothing in it names a person.
public struct StatusReport: Codable, Sendable, Equatable {
  /// How often something happened in each interval of the last minutes.
  public struct Rate: Codable, Sendable, Equatable {
    public var name: String
    /// Oldest first.
    public var counts: [Int]

    public init(name: String, counts: [Int]) {
      self.name = name
      self.counts = counts
    }
  }

  public struct Registrations: Codable, Sendable, Equatable {
    public var state: String
    public var accounts: Int

    public init(state: String, accounts: Int) {
      self.state = state
      self.accounts = accounts
    }
  }

  public var node: String
  public var version: String
  /// Seconds since its start.
  public var uptime: Int
  /// Whether phones and providers should be sent here.
  public var isReady: Bool
  public var accounts: Int
  public var held: Int
  public var answered: Int
  /// Every state once, also those that no account is in.
  public var registrations: [Registrations]
  /// Seconds that each count of `rates` is for.
  public var interval: Int
  public var rates: [Rate]
  /// nil for a node without peers.
  public var cluster: ClusterStatus?

  public init(
    node: String, version: String, uptime: Int, isReady: Bool, accounts: Int, held: Int, answered: Int, registrations: [Registrations],
    interval: Int, rates: [Rate], cluster: ClusterStatus?
  ) {
    self.node = node
    self.version = version
    self.uptime = uptime
    self.isReady = isReady
    self.accounts = accounts
    self.held = held
    self.answered = answered
    self.registrations = registrations
    self.interval = interval
    self.rates = rates
    self.cluster = cluster
  }

  enum CodingKeys: String, CodingKey {
    case node, version, accounts, registrations, rates, cluster
    case uptime = "uptime_s"
    case isReady = "ready"
    case held = "held_calls"
    case answered = "answered_calls"
    case interval = "interval_s"
  }
}
