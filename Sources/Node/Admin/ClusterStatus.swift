/// What a node knows of its cluster at one moment. Nothing in it names a person.
public struct ClusterStatus: Codable, Sendable, Equatable {
  /// A node that holds a lease, as this node sees it.
  public struct Member: Codable, Sendable, Equatable {
    public var name: String
    /// Counts the lives of the node of that name.
    public var incarnation: UInt64
    /// What is left of its lease, in milliseconds.
    public var leaseMS: Int
    /// Whether this node has a connection to it; true for the node itself.
    public var isReachable: Bool
    /// How many accounts it owns.
    public var accounts: Int

    public init(name: String, incarnation: UInt64, leaseMS: Int, isReachable: Bool, accounts: Int) {
      self.name = name
      self.incarnation = incarnation
      self.leaseMS = leaseMS
      self.isReachable = isReachable
      self.accounts = accounts
    }

    enum CodingKeys: String, CodingKey {
      case name, incarnation, accounts
      case leaseMS = "lease_ms"
      case isReachable = "reachable"
    }
  }

  /// What this node has taken over from nodes that were gone, since its start.
  public struct Takeovers: Codable, Sendable, Equatable {
    /// How many nodes were succeeded.
    public var nodes: Int
    public var accounts: Int
    public var calls: Int

    public init(nodes: Int = 0, accounts: Int = 0, calls: Int = 0) {
      self.nodes = nodes
      self.accounts = accounts
      self.calls = calls
    }
  }

  public struct Redis: Codable, Sendable, Equatable {
    /// Where the primary was when this node last spoke with it, as host and port; nil: never yet.
    public var primary: String?
    public var isConnected: Bool

    public init(primary: String?, isConnected: Bool) {
      self.primary = primary
      self.isConnected = isConnected
    }

    enum CodingKeys: String, CodingKey {
      case primary
      case isConnected = "connected"
    }
  }

  /// Whether this node holds no lease and so does nothing in anybody's name.
  public var isPassive: Bool
  /// Whether it, or Redis, has come back a moment ago, and perhaps does not know yet of all calls whose they are: new ones wait.
  public var isSettling: Bool
  /// In the order of their names.
  public var members: [Member]
  /// Accounts that nobody owns.
  public var unowned: Int
  public var takeovers: Takeovers
  public var redis: Redis

  public init(isPassive: Bool, isSettling: Bool, members: [Member], unowned: Int, takeovers: Takeovers, redis: Redis) {
    self.isPassive = isPassive
    self.isSettling = isSettling
    self.members = members
    self.unowned = unowned
    self.takeovers = takeovers
    self.redis = redis
  }

  enum CodingKeys: String, CodingKey {
    case members, unowned, takeovers, redis
    case isPassive = "passive"
    case isSettling = "settling"
  }
}
