import Primitives

extension Configuration.SIP {
  enum Key: String, ConfigurationKey {
    case listen, advertise, certificate, key
    case providerCA = "provider_ca"
    case allowNetworks = "allow_networks"
    case protectionTimer = "protection_timer_s"
    case connectionPerAccount = "connection_per_account"
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    listen = try Listen(section.section(.listen, of: Listen.Key.self))
    advertise = try section.value(.advertise)
    identity = try section.identity(.certificate, .key)
    providerCA = try section.trust(.providerCA)
    allowNetworks = try section.list(.allowNetworks, of: AddressRange.self) ?? []
    protectionTimer = .seconds(try section.number(.protectionTimer, in: 5...3600, default: 180))
    connectionPerAccount = try section.value(.connectionPerAccount) ?? false
    if advertise?.isUnspecified == true { throw section.error(.advertise, "must be an address that a provider can send to") }
  }
}

extension Configuration.SIP.Listen {
  enum Key: String, ConfigurationKey { case udp, tcp, tls }

  /// A file that says where to listen says it for all transports: what it does not name is off. A variable is for one.
  init(_ section: Section<Key>) throws(ConfigurationError) {
    let isSilent = !section.isInFile
    udp = try section.has(.udp) ? section.value(.udp) : isSilent ? .loopback(5060) : nil
    tcp = try section.has(.tcp) ? section.value(.tcp) : isSilent ? .loopback(5060) : nil
    tls = try section.has(.tls) ? section.value(.tls) : isSilent ? .loopback(5061) : nil
    if udp == nil, tcp == nil, tls == nil { throw section.error(.udp, "at least one of udp, tcp, tls must be given") }
  }
}
