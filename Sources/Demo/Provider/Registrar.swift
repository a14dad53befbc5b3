import Primitives
import SIP

/// The registrar of the provider stand-in (RFC 3261 §10.3): REGISTERs and time come in, responses go out.
struct Registrar {
  private struct Nonce {
    let madeAt: Instant
    /// The highest count that a client has used it with.
    var count: UInt32 = 0
  }

  private static let nonceLimit = 10_000

  let settings: ProviderSettings
  private var bindings: [String: [ProviderBinding]] = [:]
  private var nonces: [String: Nonce] = [:]
  private var random: SeededRandom

  init(_ settings: ProviderSettings, random: SeededRandom) {
    self.settings = settings
    self.random = random
  }

  func bindings(of user: String, now: Instant) -> [ProviderBinding] { (bindings[user] ?? []).filter { $0.until > now } }

  /// The users who registered over it.
  mutating func flowEnded(_ flow: Flow) -> [ProviderEvent] {
    var events: [ProviderEvent] = []
    for (user, all) in bindings where all.contains(where: { $0.flow == flow }) {
      for index in all.indices where all[index].flow == flow { bindings[user]?[index].isReachable = false }
      events.append(.connectionLost(user: user))
    }
    return events
  }

  mutating func register(_ request: Request, from flow: Flow, now: Instant) -> (Response, ProviderEvent) {
    guard let user = Self.user(of: request), let password = settings.users[user] else { return refuse(request, user: "", 404) }
    guard let answer = request.message.value(.authorization).flatMap({ DigestAnswer($0) }) else {
      return (challenge(request, isStale: false, now), .challenged(user: user))
    }
    guard answer.username == user, answer.realm == settings.domain, let algorithm = answer.algorithm,
      settings.algorithms.contains(algorithm), answer.proves(password, method: .register)
    else { return refuse(request, user: user, 403) }
    guard useNonce(of: answer, now) else { return (challenge(request, isStale: true, now), .challenged(user: user)) }
    return bind(request, user, algorithm, flow, now)
  }

  private static func user(of request: Request) -> String? {
    (try? URI(request.to.uri))?.unescapedUser?.text
  }

  // MARK: Digest

  /// A count that does not grow is a replay (RFC 7616 §3.4.5); it is met like an old nonce.
  private mutating func useNonce(of answer: DigestAnswer, _ now: Instant) -> Bool {
    guard let name = answer.nonce, let count = answer.count, let nonce = nonces[name], now - nonce.madeAt < settings.nonceLifetime,
      count > nonce.count
    else { return false }
    nonces[name]?.count = count
    return true
  }

  private mutating func challenge(_ request: Request, isStale: Bool, _ now: Instant) -> Response {
    if nonces.count >= Self.nonceLimit { nonces.removeAll() }
    let nonce = random.token(24).text
    nonces[nonce] = Nonce(madeAt: now)
    return .make(to: request, status: 401, toTag: random.token(10)) { builder in
      for algorithm in settings.algorithms {
        builder.append(.wwwAuthenticate) {
          $0.append(
            text: "Digest realm=\"\(settings.domain)\", nonce=\"\(nonce)\", qop=\"auth\"\(isStale ? ", stale=true" : ""), algorithm=")
          $0.append(algorithm.name)
        }
      }
    }
  }

  // MARK: Bindings

  private mutating func bind(
    _ request: Request, _ user: String, _ algorithm: DigestAlgorithm, _ flow: Flow, _ now: Instant
  ) -> (Response, ProviderEvent) {
    guard let contacts = try? request.contacts, let callID = try? request.callID, let number = try? request.cseq.number else {
      return refuse(request, user: user, 400)
    }
    if request.hasWildcardContact {
      bindings[user] = nil
      return (granted(request, user, now), .unregistered(user: user))
    }
    guard let contact = contacts.first else { return (granted(request, user, now), .refreshed(user: user, expires: 0)) }
    let wanted = contact.parameters["expires"]?.decimal(as: UInt32.self) ?? request.expires ?? settings.longestExpires
    let known = bindings(of: user, now: now).first { $0.contact.elementsEqual(contact.uri) }
    // §10.3: an older request of the same client changes nothing.
    if let known, known.callID.elementsEqual(callID), number <= known.cseq { return refuse(request, user: user, 500) }
    bindings[user] = bindings(of: user, now: now).filter { !$0.contact.elementsEqual(contact.uri) }
    if wanted == 0 { return (granted(request, user, now), .unregistered(user: user)) }
    guard wanted >= settings.shortestExpires else { return tooBrief(request, user, known) }
    let expires = min(wanted, settings.longestExpires)
    let binding = ProviderBinding(
      contact: Array(contact.uri), flow: flow, expires: expires, until: now + .seconds(Int64(expires)), callID: Array(callID), cseq: number)
    bindings[user, default: []].append(binding)
    let event: ProviderEvent =
      known == nil ? .registered(user: user, algorithm, flow.transport, expires: expires) : .refreshed(user: user, expires: expires)
    return (granted(request, user, now), event)
  }

  private mutating func granted(_ request: Request, _ user: String, _ now: Instant) -> Response {
    .make(to: request, status: 200, toTag: random.token(10)) { builder in
      for binding in bindings(of: user, now: now) {
        builder.append(.contact) {
          $0.append(text: "<\(binding.contact.text)>;expires=\((binding.until - now).wholeMilliseconds / 1000)")
        }
      }
    }
  }

  private mutating func tooBrief(_ request: Request, _ user: String, _ known: ProviderBinding?) -> (Response, ProviderEvent) {
    if let known { bindings[user, default: []].append(known) }
    let response = Response.make(to: request, status: 423, toTag: random.token(10)) { builder in
      builder.append(.minExpires) { $0.append(decimal: settings.shortestExpires) }
    }
    return (response, .refused(user: user, status: 423))
  }

  private mutating func refuse(_ request: Request, user: String, _ status: Int) -> (Response, ProviderEvent) {
    (.make(to: request, status: status, toTag: random.token(10)), .refused(user: user, status: status))
  }
}
