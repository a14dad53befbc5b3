public import Primitives

/// All that a node can be told, with every value typed and in its range. Files are named here and read later.
public struct Configuration: Sendable, Equatable {
  public enum State: String, Sendable, CaseIterable { case memory, redis }

  /// The one name that phones are told and keep.
  public var serverName: String
  /// Where accounts and calls are kept.
  public var state: State
  public var https: HTTPS
  public var admin: Admin
  public var sip: SIP
  /// Name servers; none means the system's.
  public var nameServers: [SocketAddress]
  public var push: Push
  public var node: Node
  public var redis: Redis
  /// The Unix socket over which a new process takes over from the old one.
  public var handoverSocket: String?
  public var accounts: Accounts
  public var entitlement: Entitlement
  /// Whether any trunk is configured. What a trunk is made of comes with the part that serves it.
  public var hasTrunks: Bool
  public var log: Log

  /// Where phones come.
  public struct HTTPS: Sendable, Equatable {
    public var listen: [SocketAddress]
    /// nil: a certificate is made at start.
    public var identity: Identity?
  }

  /// Metrics, health and the status page, over plain HTTP.
  public struct Admin: Sendable, Equatable {
    public var listen: SocketAddress
  }

  /// Towards providers.
  public struct SIP: Sendable, Equatable {
    public struct Listen: Sendable, Equatable {
      /// nil: this transport is off.
      public var udp: SocketAddress?
      public var tcp: SocketAddress?
      public var tls: SocketAddress?
    }

    public var listen: Listen
    /// Goes into Contact and Via; nil: the address that a message leaves from.
    public var advertise: IPAddress?
    /// For the TLS listener; nil: the one of `https`.
    public var identity: Identity?
    /// Who may vouch for a provider.
    public var providerCA: Trust
    /// Private ranges that a registrar may resolve to.
    public var allowNetworks: [AddressRange]
    /// How long an INVITE is held at most, until 480.
    public var protectionTimer: Duration
    /// Whether each account has its own connection to the provider.
    public var connectionPerAccount: Bool
  }

  /// A service that is not configured is nil: devices that need it cannot be set up.
  public struct Push: Sendable, Equatable {
    public struct APNs: Sendable, Equatable {
      /// PKCS #8 in PEM, as Apple hands it out (`.p8`).
      public var key: ConfiguredFile
      public var keyID: String
      public var teamID: String
      /// For production and development alike; nil: Apple's two.
      public var url: Origin?
      public var trust: Trust
    }

    public struct FCM: Sendable, Equatable {
      public var serviceAccount: ConfiguredFile
      public var url: Origin?
      public var trust: Trust
    }

    public struct WebPush: Sendable, Equatable {
      /// The VAPID key (RFC 8292) in PEM.
      public var key: ConfiguredFile
      /// `mailto:` or `https:` of who runs the server.
      public var subject: String
      public var trust: Trust
    }

    public var apns: APNs?
    public var fcm: FCM?
    public var webPush: WebPush?
  }

  /// This node among its peers.
  public struct Node: Sendable, Equatable {
    public var name: String
    /// nil: this node has no peers.
    public var peersListen: SocketAddress?
    public var identity: Identity?
    public var ca: ConfiguredFile?
    /// What account ids are made with; nil: another key at each start.
    public var clusterKey: ConfiguredFile?
  }

  public struct Redis: Sendable, Equatable {
    /// May hold a password.
    public var url: Secret?
    public var sentinels: [String]
    public var primary: String?
    public var username: String?
    public var password: Secret?
    public var ca: ConfiguredFile?
    public var sentinelUsername: String?
    public var sentinelPassword: Secret?
    /// Whether Sentinels are spoken to over TLS; nil: as the Redis.
    public var sentinelTLS: Bool?
    /// nil: as the Redis.
    public var sentinelCA: ConfiguredFile?
    public var allowPersistence: Bool
  }

  public struct Accounts: Sendable, Equatable {
    public enum WhenFull: String, Sendable, CaseIterable {
      case replaceOldest = "replace-oldest"
      case refuse
    }

    /// Calls that an account can have answered at the same time: 1 or 2.
    public var answeredCalls: Int
    /// Devices of an account.
    public var slots: Int
    public var whenFull: WhenFull
    /// How long a device may take to say that the call is on its screen; zero: it is not asked.
    public var receipt: Duration
  }

  public struct Entitlement: Sendable, Equatable {
    public var isRequired: Bool
    /// A JWK set (RFC 7517).
    public var keys: ConfiguredFile?
  }

  public struct Log: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable { case error, warning, info, debug }
    public enum Format: String, Sendable, CaseIterable { case text, json }

    public var level: Level
    public var format: Format
  }
}
