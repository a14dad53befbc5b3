public import Primitives

/// One phone on one account.
public struct Device: Hashable, Sendable, Discreet {
  public let id: DeviceID
  public var name: String?
  public var mode: Mode
  public var signKey: DeviceKey
  /// nil: `signKey` is both.
  public var sealKey: DeviceKey?
  public var push: PushAddress
  public var pushState: PushState
  public var lastActive: Instant

  public enum Mode: UInt8, Sendable, CaseIterable {
    case ring = 1
    case callback
  }

  public enum PushState: UInt8, Sendable, CaseIterable {
    case ok = 1
    /// The push service says that the token is dead: no announcements until there is a new one.
    case gone
    /// Home connection only.
    case none
  }

  public init(
    id: DeviceID, name: String? = nil, mode: Mode = .ring, signKey: DeviceKey, sealKey: DeviceKey? = nil, push: PushAddress,
    pushState: PushState? = nil, lastActive: Instant
  ) {
    self.id = id
    self.name = name
    self.mode = mode
    self.signKey = signKey
    self.sealKey = sealKey
    self.push = push
    self.pushState = pushState ?? push.freshState
    self.lastActive = lastActive
  }

  public var shown: String { id.description }

  /// The key that announcements are sealed for.
  public var sealing: DeviceKey { sealKey ?? signKey }
}

/// A public key as the members of its JWK.
public struct DeviceKey: Hashable, Sendable, Discreet {
  public let kty: String
  public let crv: String
  public let x: String
  public let y: String?

  public init(kty: String, crv: String, x: String, y: String? = nil) {
    self.kty = kty
    self.crv = crv
    self.x = x
    self.y = y
  }
}

/// Where a device's announcements are pushed to.
public enum PushAddress: Hashable, Sendable, Discreet {
  case apns(token: String, topic: String, environment: Environment)
  case fcm(token: String)
  case webPush(endpoint: String, p256dh: String, auth: String)
  /// Home connection only.
  case none

  public enum Environment: UInt8, Sendable, CaseIterable {
    case production = 1
    case development
  }

  /// What is known of an address that was just given.
  public var freshState: Device.PushState { self == .none ? .none : .ok }

  /// Whether both are the same installation of an app: the same token of the same service.
  public func reachesTheSame(as other: PushAddress) -> Bool {
    switch (self, other) {
    case (.apns(let token, _, _), .apns(let otherToken, _, _)): token == otherToken
    case (.fcm(let token), .fcm(let otherToken)): token == otherToken
    case (.webPush(let endpoint, _, _), .webPush(let otherEndpoint, _, _)): endpoint == otherEndpoint
    default: false
    }
  }
}
