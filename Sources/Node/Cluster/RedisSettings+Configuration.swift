import Cryptography
import Network
import Primitives
import RedisStore

extension RedisSettings {
  /// Reads `redis.*` of the configuration: a URL (`redis:` or, with TLS, `rediss:`), or Sentinels and the name of the primary.
  init(_ configuration: Configuration.Redis) throws(StartError) {
    let url = try configuration.url.map { secret throws(StartError) in try RedisURL(secret.revealed) }
    if configuration.sentinels.isEmpty {
      guard let url else { throw StartError("redis.url: a node of a cluster needs it, or redis.sentinels") }
      self.init(place: .fixed(url.address))
    } else {
      self.init(place: .sentinels(try Self.sentinels(configuration.sentinels), primary: configuration.primary ?? "ringhold"))
    }
    let user = configuration.username ?? url?.user
    if let password = configuration.password?.revealed ?? url?.password, !password.isEmpty {
      credentials = RedisCredentials(user: user, password: password)
    } else if user != nil {
      throw StartError("redis.password: a user needs one")
    }
    allowsPersistence = configuration.allowPersistence
    if let ca = configuration.ca {
      tls = try Self.trusting(ca, "redis.ca")
    } else if url?.isSecure == true {
      tls = try Self.trusting(nil, "redis.ca")
    }
    try readSentinels(configuration)
  }

  /// What is not said of them is as with the Redis, but for the password: theirs is another one, or there is none.
  private mutating func readSentinels(_ configuration: Configuration.Redis) throws(StartError) {
    if let password = configuration.sentinelPassword?.revealed, !password.isEmpty {
      sentinelCredentials = RedisCredentials(user: configuration.sentinelUsername, password: password)
    }
    guard configuration.sentinelTLS ?? (configuration.sentinelCA != nil || tls != nil) else { return }
    let ownCA = configuration.sentinelCA ?? configuration.ca
    sentinelTLS = try Self.trusting(ownCA, configuration.sentinelCA == nil ? "redis.ca" : "redis.sentinel_ca")
  }

  /// nil: whom the system trusts.
  private static func trusting(_ file: ConfiguredFile?, _ key: String) throws(StartError) -> TLSContext {
    let pem = try file.map { file throws(StartError) in
      try StartError.explaining(key) { () throws(ConfigurationError) in try file.read() }
    }
    return try StartError.explaining(key) { () throws(TLSError) in
      try TLSContext.client(trust: pem.map { .pem($0) } ?? .system, alpn: [])
    }
  }

  private static func sentinels(_ texts: [String]) throws(StartError) -> [RedisAddress] {
    var addresses: [RedisAddress] = []
    for text in texts {
      guard let address = RedisAddress(text, defaultPort: 26_379) else { throw StartError("redis.sentinels: HOST or HOST:PORT") }
      addresses.append(address)
    }
    return addresses
  }
}

/// `redis[s]://[[USER]:PASSWORD@]HOST[:PORT]`
private struct RedisURL {
  let isSecure: Bool
  let user: String?
  let password: String?
  let address: RedisAddress

  init(_ text: String) throws(StartError) {
    guard let scheme = ["redis://", "rediss://"].first(where: { text.hasPrefix($0) }) else {
      throw StartError("redis.url: it has to begin with redis:// or rediss://")
    }
    isSecure = scheme == "rediss://"
    var rest = text.dropFirst(scheme.count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    // A password may have one of its own.
    let end = rest.lastIndex(of: "@")
    let secrets = end.map { rest[..<$0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) } ?? []
    user = secrets.first.flatMap { $0.isEmpty ? nil : $0 }
    password = secrets.count == 2 ? secrets[1] : nil
    guard let address = RedisAddress(String(end.map { rest[rest.index(after: $0)...] } ?? rest), defaultPort: 6379) else {
      throw StartError("redis.url: there has to be a host, and a port at most")
    }
    self.address = address
  }
}

extension RedisAddress {
  /// A host, or `host:port`; an IPv6 address in brackets.
  fileprivate init?(_ text: String, defaultPort: UInt16) {
    if let address = SocketAddress(text) {
      self.init(host: address.ip.text, port: address.port)
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(parts.count), !parts[0].isEmpty else { return nil }
    guard let port = parts.count == 1 ? defaultPort : Array(parts[1].utf8).decimal(as: UInt16.self) else { return nil }
    self.init(host: parts[0], port: port)
  }
}
