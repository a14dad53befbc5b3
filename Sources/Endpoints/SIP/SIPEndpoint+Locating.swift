public import Network
internal import Primitives
public import SIP

/// RFC 3263 with the resolver.
extension SIPEndpoint {
  /// The targets of a destination in the order in which they are to be tried, without those that the address policy forbids.
  /// `completion` is called once: `nameNotFound` where the names lead nowhere, `notPermitted` where only to forbidden addresses, `timedOut`
  /// or `resolverFailed` where nobody could say.
  public func locate(
    _ destination: SIPDestination, _ completion: @escaping @LoopActor (Result<[Target], NetworkError>) -> Void
  ) {
    var usable: Set<Transport> = [.tcp]
    if !sockets.isEmpty { usable.insert(.udp) }
    if settings.clientTLS != nil { usable.insert(.tls) }
    SIPLocation(destination, usable, SeededRandom(seed: random.next()), resolver, settings.addresses, completion).advance()
  }

  public func locate(_ destination: SIPDestination) async throws(NetworkError) -> [Target] {
    let result = await withCheckedContinuation { continuation in locate(destination) { continuation.resume(returning: $0) } }
    return try result.get()
  }
}

/// One search on its way: asks what the locator wants to know until it says where to go.
@LoopActor
private final class SIPLocation {
  private let destination: SIPDestination
  private let usable: Set<Transport>
  private let random: SeededRandom
  private let resolver: Resolver
  private let policy: AddressPolicy
  private let completion: @LoopActor (Result<[Target], NetworkError>) -> Void
  private var replies: [SIPLocator.Question: SIPLocator.Reply] = [:]
  private var open = 0
  private var error = NetworkError.nameNotFound

  init(
    _ destination: SIPDestination, _ usable: Set<Transport>, _ random: SeededRandom, _ resolver: Resolver, _ policy: AddressPolicy,
    _ completion: @escaping @LoopActor (Result<[Target], NetworkError>) -> Void
  ) {
    self.destination = destination
    self.usable = usable
    self.random = random
    self.resolver = resolver
    self.policy = policy
    self.completion = completion
  }

  func advance() {
    switch SIPLocator.step(destination, replies, usable: usable, random: random) {
    case .go(let targets): Loop.soon { [self] in finish(targets) }
    case .ask(let questions):
      open = questions.count
      for question in questions { ask(question) }
    }
  }

  private func finish(_ targets: [Target]) {
    let permitted = targets.filter { policy.permits($0.address.ip) }
    guard permitted.isEmpty else { return completion(.success(permitted)) }
    completion(.failure(targets.isEmpty ? error : .notPermitted))
  }

  private func ask(_ question: SIPLocator.Question) {
    switch question {
    case .naptr(let name): resolver.naptr(name) { [self] in answered(question, .naptr(records($0))) }
    case .srv(let name): resolver.srv(name) { [self] in answered(question, .srv(records($0))) }
    case .addresses(let name): resolver.addresses(of: name) { [self] in answered(question, .addresses(records($0))) }
    }
  }

  private func records<Record>(_ result: Result<Answer<Record>, NetworkError>) -> [Record] {
    switch result {
    case .success(let answer): return answer.records
    case .failure(let error):
      if error != .nameNotFound { self.error = error }
      return []
    }
  }

  private func answered(_ question: SIPLocator.Question, _ reply: SIPLocator.Reply) {
    replies[question] = reply
    open -= 1
    if open == 0 { advance() }
  }
}
