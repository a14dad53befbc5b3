import Cryptography
import Network
import Primitives
import RESP

/// Finds the primary and connects to it. Sentinel is asked at every attempt: what was true a moment ago is not believed.
@LoopActor
final class PrimarySearch {
  private let settings: RedisSettings
  private let resolver: Resolver
  private let traffic: RedisTraffic
  /// The Sentinel that answered last is asked first.
  private var preferred = 0
  /// Connections of before. What they carry must not be done after what is sent over the next one.
  private var former: [ClientID] = []
  private static let mostFormer = 16

  /// One connection, as a Redis names it; `server` is one run of one process.
  private struct ClientID: Equatable {
    let server: Slice
    let client: Bytes
  }

  init(_ settings: RedisSettings, _ resolver: Resolver, _ traffic: RedisTraffic) {
    self.settings = settings
    self.resolver = resolver
    self.traffic = traffic
  }

  /// A connection to a Redis that says itself that it is the primary, and that may be used.
  func connect() async throws(RedisTrouble) -> (link: RedisLink, address: RedisAddress) {
    let address = try await primary()
    let link = try await open(address, settings.tls)
    do throws(RedisTrouble) {
      try await authenticate(link, settings.credentials)
      try await checkRole(link)
      try await checkWrites(link)
      if !settings.allowsPersistence { try await checkPersistence(link) }
      try await silenceFormer(link)
    } catch {
      link.end()
      throw error
    }
    return (link, address)
  }

  // MARK: Where it is

  private func primary() async throws(RedisTrouble) -> RedisAddress {
    switch settings.place {
    case .fixed(let address): return address
    case .sentinels(let sentinels, let name):
      for offset in sentinels.indices {
        let index = (preferred + offset) % sentinels.count
        guard let address = await primary(called: name, by: sentinels[index]) else { continue }
        preferred = index
        return address
      }
      throw .noPrimaryKnown
    }
  }

  private func primary(called name: String, by sentinel: RedisAddress) async -> RedisAddress? {
    guard let link = try? await open(sentinel, settings.sentinelTLS) else { return nil }
    defer { link.end() }
    guard (try? await authenticate(link, settings.sentinelCredentials)) != nil else { return nil }
    let answer = await link.ask(["SENTINEL", "get-master-addr-by-name", name].map { Array($0.utf8) })
    guard let words = answer?.list, words.count == 2, let host = words[0].bytes?.text, let port = words[1].number else { return nil }
    return UInt16(exactly: port).map { RedisAddress(host: host, port: $0) }
  }

  // MARK: A connection

  private func open(_ address: RedisAddress, _ tls: TLSContext?) async throws(RedisTrouble) -> RedisLink {
    guard let ip = await resolve(address.host) else { throw .unreachable }
    var limits = StreamLimits()
    limits.queuedBytes = settings.limits.queuedBytes
    let tls = tls.map { ($0, ServerIdentity(host: address.host)) }
    do {
      let stream = try await Connector.connect(
        to: SocketAddress(ip: ip, port: address.port), tls: tls, timeout: settings.limits.connecting, limits: limits)
      return RedisLink(stream, settings.limits, traffic)
    } catch {
      throw .unreachable
    }
  }

  private func resolve(_ host: String) async -> IPAddress? {
    if let address = IPAddress(host) { return address }
    return try? await resolver.addresses(of: host).first
  }

  // MARK: Questions to whoever is there

  private func ask(_ link: RedisLink, _ words: [String]) async throws(RedisTrouble) -> RESPValue {
    guard let answer = await link.ask(words.map { Array($0.utf8) }) else { throw .noAnswer }
    switch answer.errorCode {
    case nil: return answer
    case let code? where ["NOAUTH", "WRONGPASS", "NOPERM", "DENIED"].contains(code): throw .accessDenied(code)
    case "LOADING", "MASTERDOWN", "BUSY": throw .noAnswer
    case "NOREPLICAS": throw .tooFewReplicas
    case "READONLY": throw .notPrimary
    default: throw .protocolError
    }
  }

  private func authenticate(_ link: RedisLink, _ credentials: RedisCredentials?) async throws(RedisTrouble) {
    guard let credentials else { return }
    _ = try await ask(link, ["AUTH"] + [credentials.user].compactMap(\.self) + [credentials.password])
  }

  private func checkRole(_ link: RedisLink) async throws(RedisTrouble) {
    let role = try await ask(link, ["ROLE"])
    guard role.list?.first?.bytes?.equals("master") == true else { throw .notPrimary }
  }

  /// A primary that was told to want replicas (`min-replicas-to-write`) and has too few refuses whatever could write; and a user may
  /// have no right to our keys.
  private func checkWrites(_ link: RedisLink) async throws(RedisTrouble) {
    let look = Script(.noRoom, "return redis.call('HLEN', KEYS[1])")
    _ = try await ask(link, ["EVAL", look.source.text, "1", Layout.nodes.text])
  }

  /// Save points, and the log of all writes. Whoever may not look cannot know, and that is not good enough.
  private func checkPersistence(_ link: RedisLink) async throws(RedisTrouble) {
    let save = try await setting("save", link)
    let log = try await setting("appendonly", link)
    guard save.isEmpty, log.equals("no") else { throw .persistence }
  }

  private func setting(_ name: String, _ link: RedisLink) async throws(RedisTrouble) -> Bytes {
    let answer = try await ask(link, ["CONFIG", "GET", name])
    guard let words = answer.list, words.count == 2, let value = words[1].bytes else { throw .protocolError }
    return value
  }

  /// Commands of a lost connection may still lie unread at a Redis that was slow: with their connection they are thrown away.
  private func silenceFormer(_ link: RedisLink) async throws(RedisTrouble) {
    let id = try await identity(link)
    for gone in former where gone.server == id.server {
      _ = try await ask(link, ["CLIENT", "KILL", "ID", gone.client.text])
      former.removeAll { $0 == gone }
    }
    if former.count == Self.mostFormer { former.removeFirst() }
    former.append(id)
  }

  private func identity(_ link: RedisLink) async throws(RedisTrouble) -> ClientID {
    guard let client = try await ask(link, ["CLIENT", "ID"]).number, let info = try await ask(link, ["INFO", "server"]).bytes,
      let line = info.split(whereSeparator: { $0 == 13 || $0 == 10 }).first(where: { $0.starts(with: "run_id:".utf8) })
    else { throw .protocolError }
    return ClientID(server: line, client: Bytes(text: client))
  }
}
