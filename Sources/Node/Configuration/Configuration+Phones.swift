import Primitives

// The sections about phones and about the people who run the server.

extension Configuration.HTTPS {
  enum Key: String, ConfigurationKey { case listen, certificate, key }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    listen = try section.list(.listen, of: SocketAddress.self) ?? [.loopback(8443)]
    identity = try section.identity(.certificate, .key)
    if listen.isEmpty { throw section.error(.listen, "must have at least one address: phones come here") }
    if listen.count > 16 { throw section.error(.listen, "must have at most 16 addresses") }
  }
}

extension Configuration.Admin {
  enum Key: String, ConfigurationKey { case listen }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    listen = try section.value(.listen) ?? .loopback(9090)
  }
}

extension Configuration.Push {
  enum Key: String, ConfigurationKey { case apns, fcm, webpush }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    apns = section.hasSection(.apns) ? try APNs(section.section(.apns, of: APNs.Key.self)) : nil
    fcm = section.hasSection(.fcm) ? try FCM(section.section(.fcm, of: FCM.Key.self)) : nil
    webPush = section.hasSection(.webpush) ? try WebPush(section.section(.webpush, of: WebPush.Key.self)) : nil
  }
}

extension Configuration.Push.APNs {
  enum Key: String, ConfigurationKey {
    case key
    case keyID = "key_id"
    case teamID = "team_id"
    case url, ca
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    key = try section.required(.key, section.file(.key))
    keyID = try section.required(.keyID, section.text(.keyID))
    teamID = try section.required(.teamID, section.text(.teamID))
    url = try section.value(.url)
    trust = try section.trust(.ca)
  }
}

extension Configuration.Push.FCM {
  enum Key: String, ConfigurationKey {
    case serviceAccount = "service_account"
    case url, ca
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    serviceAccount = try section.required(.serviceAccount, section.file(.serviceAccount))
    url = try section.value(.url)
    trust = try section.trust(.ca)
  }
}

extension Configuration.Push.WebPush {
  enum Key: String, ConfigurationKey { case key, subject, ca }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    key = try section.required(.key, section.file(.key))
    subject = try section.required(.subject, section.text(.subject))
    trust = try section.trust(.ca)
  }
}

extension Configuration.Accounts {
  enum Key: String, ConfigurationKey {
    case answeredCalls = "answered_calls"
    case slots
    case whenFull = "when_full"
    case receipt = "receipt_s"
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    answeredCalls = try section.number(.answeredCalls, in: 1...2, default: 2)
    slots = try section.number(.slots, in: 1...16, default: 4)
    whenFull = try section.value(.whenFull) ?? .replaceOldest
    receipt = .seconds(try section.number(.receipt, in: 0...30, default: 0))
  }
}

extension Configuration.Accounts.WhenFull: ConfigurationChoice {}

extension Configuration.Entitlement {
  enum Key: String, ConfigurationKey { case required, keys }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    isRequired = try section.value(.required) ?? false
    keys = try section.file(.keys)
    if isRequired, keys == nil { throw section.error(.required, "entitlement.keys must say who signs entitlements") }
  }
}

extension Configuration.Log {
  enum Key: String, ConfigurationKey { case level, format }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    level = try section.value(.level) ?? .info
    format = try section.value(.format) ?? .text
  }
}

extension Configuration.Log.Level: ConfigurationChoice {}
extension Configuration.Log.Format: ConfigurationChoice {}

extension SocketAddress {
  static func loopback(_ port: UInt16) -> SocketAddress { SocketAddress(ip: .loopbackIPv4, port: port) }
}
