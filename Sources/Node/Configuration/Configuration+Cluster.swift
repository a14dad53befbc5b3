import Primitives

// The sections about nodes that work together.

extension Configuration.Node {
  enum Key: String, ConfigurationKey {
    case name
    case peersListen = "peers_listen"
    case certificate, key, ca
    case clusterKey = "cluster_key"
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    name = try section.value(.name, as: HostName.self)?.text ?? "a"
    peersListen = try section.value(.peersListen)
    identity = try section.identity(.certificate, .key)
    ca = try section.file(.ca)
    clusterKey = try section.file(.clusterKey)
  }
}

extension Configuration.Redis {
  enum Key: String, ConfigurationKey {
    case url, sentinels, primary, username, password, ca
    case sentinelUsername = "sentinel_username"
    case sentinelPassword = "sentinel_password"
    case sentinelTLS = "sentinel_tls"
    case sentinelCA = "sentinel_ca"
    case allowPersistence = "allow_persistence"
  }

  init(_ section: Section<Key>) throws(ConfigurationError) {
    url = try section.value(.url)
    sentinels = try section.list(.sentinels, of: Word.self)?.map(\.text) ?? []
    primary = try section.textOrNothing(.primary)
    username = try section.textOrNothing(.username)
    password = try section.textOrNothing(.password).map { Secret($0) }
    ca = try section.file(.ca)
    sentinelUsername = try section.textOrNothing(.sentinelUsername)
    sentinelPassword = try section.textOrNothing(.sentinelPassword).map { Secret($0) }
    sentinelTLS = try section.value(.sentinelTLS)
    sentinelCA = try section.file(.sentinelCA)
    allowPersistence = try section.value(.allowPersistence) ?? false
  }
}
