public import Primitives

/// Where a device's announcements are pushed to.
public enum PushBody: Body, Discreet {
  case apns(token: String, topic: String, environment: Environment)
  case fcm(token: String)
  case webPush(endpoint: String, p256dh: String, auth: String)
  /// Home connection only.
  case none

  public enum Environment: String, Sendable, Hashable, Codable, CaseIterable {
    case production, development
  }

  private enum Service: String, Codable { case apns, fcm, webpush, none }

  enum CodingKeys: String, CodingKey { case service, token, topic, environment, endpoint, p256dh, auth }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    switch try members.decode(Service.self, forKey: .service) {
    case .apns: self = try Self.apns(members)
    case .fcm: self = .fcm(token: try members.text(.token, .visible(1...4096)))
    case .webpush: self = try Self.webPush(members)
    case .none: self = .none
    }
  }

  private static func apns(_ members: KeyedDecodingContainer<CodingKeys>) throws -> PushBody {
    .apns(
      token: try members.text(.token, .hex).lowercased(), topic: try members.text(.topic, .topic),
      environment: try members.decode(Environment.self, forKey: .environment))
  }

  /// RFC 8291 §3.1, §3.2: an uncompressed P-256 point and 16 random bytes.
  private static func webPush(_ members: KeyedDecodingContainer<CodingKeys>) throws -> PushBody {
    let endpoint = try members.text(.endpoint, .visible(9...2048))
    let p256dh = try members.text(.p256dh, .visible(1...128))
    let auth = try members.text(.auth, .visible(1...64))
    guard endpoint.hasPrefix("https://") else { throw members.wrong(.endpoint) }
    guard Base64.urlSafe.decode(p256dh)?.count == 65 else { throw members.wrong(.p256dh) }
    guard Base64.urlSafe.decode(auth)?.count == 16 else { throw members.wrong(.auth) }
    return .webPush(endpoint: endpoint, p256dh: p256dh, auth: auth)
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .apns(let token, let topic, let environment):
      try members.encode(Service.apns, forKey: .service)
      try members.encode(token, forKey: .token)
      try members.encode(topic, forKey: .topic)
      try members.encode(environment, forKey: .environment)
    case .fcm(let token):
      try members.encode(Service.fcm, forKey: .service)
      try members.encode(token, forKey: .token)
    case .webPush(let endpoint, let p256dh, let auth):
      try members.encode(Service.webpush, forKey: .service)
      try members.encode(endpoint, forKey: .endpoint)
      try members.encode(p256dh, forKey: .p256dh)
      try members.encode(auth, forKey: .auth)
    case .none:
      try members.encode(Service.none, forKey: .service)
    }
  }
}

/// Body of `PUT /v1/setup/push`.
public struct SetPushBody: Body, Discreet {
  public var push: PushBody

  public init(push: PushBody) { self.push = push }
}
