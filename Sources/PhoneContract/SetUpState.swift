public import Primitives

/// 200 to a set-up: how the account stands, seen by one of its devices.
public struct SetUpState: Body, Discreet {
  /// The only name that the app ever connects to.
  public var serverName: String
  /// The id of the device that asks.
  public var device: String
  public var slots: Int
  public var answeredCalls: Int
  public var registration: Registration
  public var devices: [DeviceState]
  /// The server asks for `POST /v1/calls/shown`; absent means no.
  public var receipts: Bool?

  public init(
    serverName: String, device: String, slots: Int, answeredCalls: Int, registration: Registration, devices: [DeviceState],
    receipts: Bool? = nil
  ) {
    self.serverName = serverName
    self.device = device
    self.slots = slots
    self.answeredCalls = answeredCalls
    self.registration = registration
    self.devices = devices
    self.receipts = receipts
  }

  enum CodingKeys: String, CodingKey {
    case device, slots, registration, devices, receipts
    case serverName = "server_name"
    case answeredCalls = "answered_calls"
  }

  /// Our one binding at the provider.
  public struct Registration: Body {
    public var state: RegistrationState
    /// That is in use, nil before it is known.
    public var transport: TransportChoice?
    /// With `credentials-needed`: what the registrar asks for.
    public var challenges: [ChallengeBody]
    /// Seconds until the next try.
    public var retryAfter: Int?

    public init(state: RegistrationState, transport: TransportChoice?, challenges: [ChallengeBody] = [], retryAfter: Int? = nil) {
      self.state = state
      self.transport = transport
      self.challenges = challenges
      self.retryAfter = retryAfter
    }

    enum CodingKeys: String, CodingKey {
      case state, transport, challenges
      case retryAfter = "retry_after"
    }

    public func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(state, forKey: .state)
      try members.encode(transport, forKey: .transport)
      try members.encode(challenges, forKey: .challenges)
      try members.encode(retryAfter, forKey: .retryAfter)
    }
  }

  public struct DeviceState: Body, Discreet {
    public var id: String
    public var name: String?
    /// Whether it is the device that asks.
    public var isThis: Bool
    public var push: PushState
    public var lastActive: Timestamp

    public init(id: String, name: String?, isThis: Bool, push: PushState, lastActive: Timestamp) {
      self.id = id
      self.name = name
      self.isThis = isThis
      self.push = push
      self.lastActive = lastActive
    }

    public var shown: String { id }

    enum CodingKeys: String, CodingKey {
      case id, name, push
      case isThis = "this"
      case lastActive = "last_active"
    }

    public func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(id, forKey: .id)
      try members.encode(name, forKey: .name)
      try members.encode(isThis, forKey: .isThis)
      try members.encode(push, forKey: .push)
      try members.encode(lastActive, forKey: .lastActive)
    }
  }
}
