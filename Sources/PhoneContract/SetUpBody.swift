public import Primitives

/// Body of `PUT /v1/setup`.
public struct SetUpBody: Body, Discreet {
  public var account: AccountBody
  public var device: DeviceBody
  /// A JWS, where the server asks for one.
  public var entitlement: String?
  /// The id of the device whose slot this one takes.
  public var takeSlotOf: String?

  public init(account: AccountBody, device: DeviceBody, entitlement: String? = nil, takeSlotOf: String? = nil) {
    self.account = account
    self.device = device
    self.entitlement = entitlement
    self.takeSlotOf = takeSlotOf
  }

  enum CodingKeys: String, CodingKey {
    case account, device, entitlement
    case takeSlotOf = "take_slot_of"
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    account = try members.decode(AccountBody.self, forKey: .account)
    device = try members.decode(DeviceBody.self, forKey: .device)
    entitlement = try members.optionalText(.entitlement, .visible(1...16_384))
    takeSlotOf = try members.optionalText(.takeSlotOf, .deviceID)
  }
}

/// The device of a set-up.
public struct DeviceBody: Body, Discreet {
  public var name: String?
  public var mode: DeviceMode
  public var keys: KeysBody
  public var push: PushBody

  public init(name: String? = nil, mode: DeviceMode = .ring, keys: KeysBody, push: PushBody) {
    self.name = name
    self.mode = mode
    self.keys = keys
    self.push = push
  }

  enum CodingKeys: String, CodingKey { case name, mode, keys, push }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    name = try members.optionalText(.name, .printable)
    if let name, name.count > Self.nameLimit { throw members.wrong(.name) }
    mode = try members.decodeIfPresent(DeviceMode.self, forKey: .mode) ?? .ring
    keys = try members.decode(KeysBody.self, forKey: .keys)
    push = try members.decode(PushBody.self, forKey: .push)
  }

  /// Characters of a name.
  static let nameLimit = 64
}

/// Body of `POST /v1/probe`: what is needed to ask the registrar.
public struct ProbeBody: Body, Discreet {
  public var account: Target
  public var device: Keys

  public init(account: Target, device: Keys) {
    self.account = account
    self.device = device
  }

  public struct Keys: Body, Discreet {
    public var keys: KeysBody

    public init(keys: KeysBody) { self.keys = keys }
  }

  /// The account without credentials.
  public struct Target: Body, Discreet {
    public var registrar: String
    public var user: String
    public var domain: String?
    public var transport: TransportChoice
    public var outboundProxy: String?

    public init(registrar: String, user: String, domain: String? = nil, transport: TransportChoice = .auto, outboundProxy: String? = nil) {
      self.registrar = registrar
      self.user = user
      self.domain = domain
      self.transport = transport
      self.outboundProxy = outboundProxy
    }

    enum CodingKeys: String, CodingKey {
      case registrar, user, domain, transport
      case outboundProxy = "outbound_proxy"
    }

    public init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      registrar = try members.text(.registrar, .host)
      user = try members.text(.user, .user)
      domain = try members.optionalText(.domain, .host)
      transport = try members.decodeIfPresent(TransportChoice.self, forKey: .transport) ?? .auto
      outboundProxy = try members.optionalText(.outboundProxy, .proxy)
    }
  }
}
