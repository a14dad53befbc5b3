public import Primitives

/// What a name server said, and until when it holds.
public struct Answer<Record: Sendable>: Sendable {
  public var records: [Record]
  public var expires: Instant

  public init(records: [Record], expires: Instant) {
    self.records = records
    self.expires = expires
  }
}

/// RFC 2782.
public struct SRVRecord: Hashable, Sendable {
  public var priority: UInt16
  public var weight: UInt16
  public var port: UInt16
  public var target: String

  public init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
  }
}

/// RFC 3403 §4.1.
public struct NAPTRRecord: Hashable, Sendable {
  public var order: UInt16
  public var preference: UInt16
  public var flags: String
  public var service: String
  public var regexp: String
  public var replacement: String

  public init(order: UInt16, preference: UInt16, flags: String, service: String, regexp: String, replacement: String) {
    (self.order, self.preference) = (order, preference)
    (self.flags, self.service, self.regexp, self.replacement) = (flags, service, regexp, replacement)
  }
}

/// Numbers that bound a resolver.
public struct ResolverLimits: Sendable {
  /// For one question, over all servers and tries.
  public var timeout = Duration.seconds(5)
  public var questionsInFlight = 1000
  public var cachedAnswers = 4096
  /// An answer is not kept longer, whatever its TTL says.
  public var longestTTL = Duration.seconds(3600)
  /// How long "there is no such name" is kept.
  public var negativeTTL = Duration.seconds(10)

  public init() {}
}

/// Asks name servers. Questions that are asked while the same one is in flight share its answer; answers are kept for their TTL.
@LoopActor
public final class Resolver {
  public typealias Completion<Record: Sendable> = @LoopActor (Result<Answer<Record>, NetworkError>) -> Void

  private let channel: ResolverChannel
  private let limits: ResolverLimits
  private let ipv4: ResolverTable<IPAddress>
  private let ipv6: ResolverTable<IPAddress>
  private let services: ResolverTable<SRVRecord>
  private let pointers: ResolverTable<NAPTRRecord>

  /// - Parameter servers: those of the system (/etc/resolv.conf) when empty.
  public init(servers: [SocketAddress] = [], limits: ResolverLimits = .init()) throws(NetworkError) {
    let channel = try ResolverChannel(servers, limits)
    self.channel = channel
    self.limits = limits
    ipv4 = ResolverTable(limits) { channel.addresses(of: $0, isIPv6: false, $1) }
    ipv6 = ResolverTable(limits) { channel.addresses(of: $0, isIPv6: true, $1) }
    services = ResolverTable(limits) { channel.services($0, $1) }
    pointers = ResolverTable(limits) { channel.pointers($0, $1) }
  }

  /// IPv4 addresses (A); /etc/hosts counts before name servers, and a literal is answered at once.
  public func ipv4Addresses(of name: String, _ completion: @escaping Completion<IPAddress>) {
    if let literal = literal(name) { return answer(literal.isIPv6 ? [] : [literal], completion) }
    ipv4.ask(name, completion)
  }

  /// IPv6 addresses (AAAA), likewise.
  public func ipv6Addresses(of name: String, _ completion: @escaping Completion<IPAddress>) {
    if let literal = literal(name) { return answer(literal.isIPv6 ? [literal] : [], completion) }
    ipv6.ask(name, completion)
  }

  /// Addresses of both families, IPv4 first. Fails only where neither family has one.
  public func addresses(of name: String, _ completion: @escaping Completion<IPAddress>) {
    if let literal = literal(name) { return answer([literal], completion) }
    let pair = FamilyPair(completion)
    ipv4.ask(name) { pair.ipv4($0) }
    ipv6.ask(name) { pair.ipv6($0) }
  }

  /// SRV records, as they came: order by priority and weight is the caller's.
  public func srv(_ name: String, _ completion: @escaping Completion<SRVRecord>) { services.ask(name, completion) }

  /// NAPTR records by order and preference.
  public func naptr(_ name: String, _ completion: @escaping Completion<NAPTRRecord>) { pointers.ask(name, completion) }

  /// Questions in flight end with `closed`.
  public func close() { channel.close() }

  private func literal(_ name: String) -> IPAddress? {
    name.hasPrefix("[") && name.hasSuffix("]") ? IPAddress(String(name.dropFirst().dropLast())) : IPAddress(name)
  }

  private func answer(_ addresses: [IPAddress], _ completion: @escaping Completion<IPAddress>) {
    let result: Result<Answer<IPAddress>, NetworkError> =
      addresses.isEmpty ? .failure(.nameNotFound) : .success(Answer(records: addresses, expires: .distantFuture))
    Loop.soon { completion(result) }
  }
}

extension Resolver {
  public func addresses(of name: String) async throws(NetworkError) -> [IPAddress] {
    let result = await withCheckedContinuation { continuation in addresses(of: name) { continuation.resume(returning: $0) } }
    return try result.get().records
  }

  public func srv(_ name: String) async throws(NetworkError) -> [SRVRecord] {
    let result = await withCheckedContinuation { continuation in srv(name) { continuation.resume(returning: $0) } }
    return try result.get().records
  }

  public func naptr(_ name: String) async throws(NetworkError) -> [NAPTRRecord] {
    let result = await withCheckedContinuation { continuation in naptr(name) { continuation.resume(returning: $0) } }
    return try result.get().records
  }
}

/// Waits for both families.
@LoopActor
private final class FamilyPair {
  private var first: Result<Answer<IPAddress>, NetworkError>?
  private var second: Result<Answer<IPAddress>, NetworkError>?
  private let completion: Resolver.Completion<IPAddress>

  init(_ completion: @escaping Resolver.Completion<IPAddress>) { self.completion = completion }

  func ipv4(_ result: Result<Answer<IPAddress>, NetworkError>) {
    first = result
    finish()
  }

  func ipv6(_ result: Result<Answer<IPAddress>, NetworkError>) {
    second = result
    finish()
  }

  private func finish() {
    guard let first, let second else { return }
    let answers = [first, second].compactMap { try? $0.get() }
    guard let expires = answers.map(\.expires).min() else { return completion(worse(first, second)) }
    completion(.success(Answer(records: answers.flatMap(\.records), expires: expires)))
  }

  /// "No such name" only where both say so.
  private func worse(_ one: Result<Answer<IPAddress>, NetworkError>, _ other: Result<Answer<IPAddress>, NetworkError>)
    -> Result<Answer<IPAddress>, NetworkError>
  {
    if case .failure(.nameNotFound) = one { return other }
    return one
  }
}
