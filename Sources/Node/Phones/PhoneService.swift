import Core
import Cryptography
import HTTP
import Network
import PhoneContract
import Primitives
import Store
import Switchboard

/// The phone contract over HTTP: who asks is found out here, what follows from it is the switchboard's to say.
@LoopActor
final class PhoneService {
  private let exchange: Exchange
  private let store: any StoreClient
  private let gate: RegistrarGate
  private let metrics: NodeMetrics
  private let clusterKey: Bytes
  private var keys = KeyRing()
  private var ownNonces = OwnNonces()

  init(exchange: Exchange, store: any StoreClient, gate: RegistrarGate, metrics: NodeMetrics, clusterKey: Bytes) {
    self.exchange = exchange
    self.store = store
    self.gate = gate
    self.metrics = metrics
    self.clusterKey = clusterKey
  }

  /// One request on its way. `onGone` is told where the client has left before the answer.
  final class Visit {
    let request: HTTPRequest
    let cameAt: Instant
    let answer: HTTPAnswer
    var onGone: (@LoopActor () -> Void)?

    init(_ request: HTTPRequest, at cameAt: Instant, _ answer: @escaping HTTPAnswer) {
      self.request = request
      self.cameAt = cameAt
      self.answer = answer
    }
  }

  /// The answer comes once, at once or later.
  func handle(_ request: HTTPRequest, _ answer: @escaping HTTPAnswer) -> Visit {
    let now = Loop.now()
    let visit = Visit(request, at: now) { [metrics] response in
      metrics.phoneAnswered(response.status)
      answer(response)
    }
    // What waited for a process that was stopped may be of long ago, and mean another call.
    guard exchange.core.mayAct(now: now) else {
      visit.answer(Problem.unavailable(retryAfter: 1).response)
      return visit
    }
    let decoded = PhoneRequest.decode(method: request.method, path: request.pathOnly, query: request.query ?? "", body: request.body)
    do throws(Problem) {
      switch decoded {
      case .success(.setUp(let body)): try setUp(body, visit)
      case .success(.probe(let body)): try probe(body, visit)
      case .failure(let problem) where problem.name != .malformed: throw problem
      case .failure(let problem) where Self.namesNoDevice(request): throw problem
      default: try authenticate(decoded, visit)
      }
    } catch {
      visit.answer(error.response)
    }
    return visit
  }

  /// The two requests whose key stands in the body: without a readable body there is nothing to check a signature with.
  private static func namesNoDevice(_ request: HTTPRequest) -> Bool { request.pathOnly == "/v1/setup" || request.pathOnly == "/v1/probe" }

  // MARK: A device that is set up

  private func authenticate(_ decoded: Result<PhoneRequest, Problem>, _ visit: Visit) throws(Problem) {
    let claim = try DeviceAuthentication.claim(of: visit.request, unixNow: Loop.unixNow())
    store.perform(.accountOf(claim.device)) { [self] reply in
      switch reply {
      case .accountOf(let id?): know(claim.device, of: id, visit) { [self] device in proceed(decoded, claim, device, id, visit) }
      // A store that has just come back may hear of it in a moment.
      case .accountOf(nil) where exchange.core.switchboard.isSure: visit.answer(Problem(.notSetUp).response)
      case .unavailable: authenticateByMemory(decoded, claim, visit)
      default: visit.answer(Problem.unavailable(retryAfter: 1).response)
      }
    }
  }

  /// The store is away: the node that has a phone's call, or owns its account, serves it all the same.
  private func authenticateByMemory(_ decoded: Result<PhoneRequest, Problem>, _ claim: DeviceAuthentication.Claim, _ visit: Visit) {
    let board = exchange.core.switchboard
    guard let account = board.account(of: claim.device), let device = board.device(account, claim.device) else {
      return visit.answer(Problem.unavailable(retryAfter: 1).response)
    }
    proceed(decoded, claim, device, account, visit)
  }

  /// The device as this node has it, or the store.
  private func know(_ id: DeviceID, of account: AccountID, _ visit: Visit, _ then: @escaping @LoopActor (Device) -> Void) {
    if let device = exchange.core.switchboard.device(account, id) { return then(device) }
    store.perform(.account(account)) { reply in
      // A device that has an account which is not there: it is on its way out, or the store has just lost it.
      guard case .account(let stored?) = reply else { return visit.answer(Problem.unavailable(retryAfter: 1).response) }
      guard let device = stored.account.device(id) else { return visit.answer(Problem(.notSetUp).response) }
      then(device)
    }
  }

  private func proceed(
    _ decoded: Result<PhoneRequest, Problem>, _ claim: DeviceAuthentication.Claim, _ device: Device, _ account: AccountID, _ visit: Visit
  ) {
    verify(claim, device.signKey, visit) { [self] in
      switch decoded {
      case .failure(let problem): visit.answer(problem.response)
      case .success(let request): send(request, claim.device, account, visit)
      }
    }
  }

  /// The signature, then the nonce: a nonce that nobody signed is not worth remembering.
  private func verify(_ claim: DeviceAuthentication.Claim, _ key: DeviceKey, _ visit: Visit, _ then: @escaping @LoopActor () -> Void) {
    do throws(Problem) {
      guard let key = keys.key(key) else { throw Problem(.badSignature) }
      try DeviceAuthentication.verify(claim, of: visit.request, by: key)
    } catch {
      return visit.answer(error.response)
    }
    let until = Loop.now() + Contract.nonceLifetime
    store.perform(.useNonce(claim.device, nonce: claim.nonce, until: until)) { [self] reply in
      switch ownNonces.judge(claim.device, claim.nonce, reply, now: Loop.now()) {
      case .fresh: then()
      case .replayed: visit.answer(Problem(.replayed).response)
      case .full: visit.answer(Problem.tooManyRequests(retryAfter: 5).response)
      default: visit.answer(Problem.unavailable(retryAfter: 1).response)
      }
    }
  }

  // MARK: Who answers

  /// A request goes to the node whose it is; without a cluster that is this one.
  private func send(_ request: PhoneRequest, _ device: DeviceID, _ account: AccountID, _ visit: Visit) {
    let asked = visit.request
    let key = asked.idempotencyKey
    guard key.map(Contract.isIdempotencyKey) ?? true else { return visit.answer(Problem.malformed(at: "/idempotency-key").response) }
    let forwarded = ForwardedRequest(
      account: account, device: device, method: asked.method, path: asked.pathOnly, query: asked.query ?? "", body: asked.body,
      age: Loop.now() - visit.cameAt)
    visit.onGone = exchange.phone(request, forwarded, key: key, visit.answer)
  }

  // MARK: Set-up

  private func setUp(_ body: SetUpBody, _ visit: Visit) throws(Problem) {
    let (claim, key) = try ownKey(body.device.keys, visit)
    guard (try? SealingPublicKey(jwk: JWK(body.device.keys.sealing))) != nil else { throw .malformed(at: "/device/keys/seal") }
    let id = accountID(body.account.registrar, body.account.user, body.account.domain)
    verify(claim, key, visit) { [self] in
      gate.admit(registrar: body.account.registrar, domain: body.account.domain, proxy: body.account.outboundProxy) { [self] problem in
        if let problem { return visit.answer(problem.response) }
        send(.setUp(body), claim.device, id, visit)
      }
    }
  }

  private func probe(_ body: ProbeBody, _ visit: Visit) throws(Problem) {
    let (claim, key) = try ownKey(body.device.keys, visit)
    verify(claim, key, visit) { [self] in
      gate.admit(registrar: body.account.registrar, domain: body.account.domain, proxy: body.account.outboundProxy) { [self] problem in
        if let problem { return visit.answer(problem.response) }
        exchange.probe(body.account) { visit.answer($0.response) }
      }
    }
  }

  /// The key in the body has to be the one that the signature names.
  private func ownKey(_ body: KeysBody, _ visit: Visit) throws(Problem) -> (DeviceAuthentication.Claim, DeviceKey) {
    guard let signing = try? SigningPublicKey(jwk: JWK(body.sign)) else { throw .malformed(at: "/device/keys/sign") }
    let claim = try DeviceAuthentication.claim(of: visit.request, unixNow: Loop.unixNow())
    guard signing.thumbprint == claim.device.text else { throw Problem(.badSignature) }
    return (claim, DeviceKey(body.sign))
  }

  /// A keyed hash: neither a key name of the store nor our Contact tells whose account it is.
  private func accountID(_ registrar: String, _ user: String, _ domain: String?) -> AccountID {
    let name = [registrar.lowercased(), user, (domain ?? registrar).lowercased()].joined(separator: "\0")
    let hash = hmacSHA256(key: clusterKey, Array("account\0".utf8) + Array(name.utf8))
    guard let id = AccountID(bytes: Array(hash.prefix(16))) else { preconditionFailure("a SHA-256 has more than 16 bytes") }
    return id
  }
}

extension HTTPRequest {
  /// Only what does something has one.
  fileprivate var idempotencyKey: String? { method == "POST" ? fields["idempotency-key"] : nil }
}

extension JWK {
  init(_ body: KeyBody) { self.init(kty: body.kty, crv: body.crv, x: body.x, y: body.y) }
}
