public import HTTP
public import PhoneContract
import Cluster
public import Primitives
import Store
public import Switchboard

/// Which node answers a phone: the call's home, or the account's owner, wherever the request came in. Where that node dies meanwhile the
/// request goes to its successor: the phone sees a slow answer, not an error.
extension NodeCore {
  /// A phone asks. Its signature is checked and its nonce used up; one `answer` follows.
  /// - Parameter key: the request's Idempotency-Key, well-formed; nil where it has none.
  public mutating func phone(
    _ id: PhoneRequestID, _ request: PhoneRequest, _ asked: ForwardedRequest, key: String? = nil, now: Instant
  ) -> [Action] {
    let key = key.map { IdempotencyKey(device: asked.device, text: $0) }
    switch errands.begin(Errand(request: request, asked: asked, key: key, cameAt: now - asked.age, deadline: now + Errand.patience), id) {
    case .first: break
    case .follows: return []
    case .tooMany: return [.answer(id, Problem.tooManyRequests(retryAfter: 1).response)]
    }
    guard let key else { return place == nil ? answerHere(id, now: now) : route(id) }
    return [.store(.recall(key.device, key: key.text), .recall(id))]
  }

  /// Nobody waits for the answer any more.
  public mutating func phoneGone(_ id: PhoneRequestID, now: Instant) -> [Action] {
    if let visitor = visitors.removeValue(forKey: id) {
      return settle(switchboard.phoneGone(id, device: visitor.device, account: visitor.account, now: now), now: now)
    }
    guard let errand = errands[id], errand.key == nil else { return [] }
    _ = errands.end(id)
    deadlines.set(nil, for: .errand(id))
    switch errand.stage {
    case .here: return goneHere(id, errand, now: now)
    case .away: return [.abandon(id)]
    case .asking, .waiting: return []
    }
  }

  // MARK: Where it goes

  /// The answer that was given under the key before is given again.
  mutating func recalled(_ id: PhoneRequestID, _ reply: StoreReply, now: Instant) -> [Action] {
    if case .record(let record?) = reply, let known = try? RememberedAnswer(record: record) {
      return errands.end(id).map { .answer($0, known.response) }
    }
    return place == nil ? answerHere(id, now: now) : route(id)
  }

  mutating func route(_ id: PhoneRequestID) -> [Action] {
    guard let errand = errands[id] else { return [] }
    errands.move(id, to: .asking)
    return [.store(.whereabouts(errand.asked.account), .whereabouts(id))]
  }

  mutating func found(_ id: PhoneRequestID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard let errand = errands[id], errand.stage == .asking else { return [] }
    let account = errand.asked.account
    if case .whereabouts = reply { errands.look(id, isBlind: false) } else { errands.look(id, isBlind: true) }
    switch reply {
    case .whereabouts(let found):
      let home = errand.request.home(in: found, device: errand.asked.device)
      // What a node had in a former life it does not have any more: whoever adopts the call can answer, and soon.
      if let home, isOver(home) { return later(id, now: now) }
      return go(id, errand, to: home?.node ?? found.owner?.holder.node ?? ownership.owner(of: account), now: now)
    case .noAccount where errand.request.isSetUp: return go(id, errand, to: ownership.owner(of: account), now: now)
    // The store is away, or has lost the account of a device that is set up, and will hear of it: what this node owns it serves, and the
    // calls that are here. Where no call is here, another node may have one, on the line of one that was here.
    default:
      let isKnown = errand.request.isAboutCall ? switchboard.hasCall(of: account) : ownership.owned[account] != nil
      return isKnown ? answerHere(id, now: now) : later(id, now: now)
    }
  }

  /// Whether the node is known to have another life now.
  func isOver(_ life: Holder) -> Bool {
    let known = ([membership.holder] + membership.peers.map(\.holder)).compactMap(\.self).first { $0.node == life.node }
    return known.map { $0 != life } ?? (life.node == place?.node)
  }

  private mutating func go(_ id: PhoneRequestID, _ errand: Errand, to target: NodeID?, now: Instant) -> [Action] {
    guard let target else { return later(id, now: now) }
    guard target != place?.node else { return answerHere(id, now: now) }
    // Another node can reach it, and the phone that one.
    guard !membership.isCutOff(target, now: now) else { return finish(id, Problem.unavailable(retryAfter: 1).response, now: now) }
    errands.move(id, to: .away)
    var asked = errand.asked(now: now)
    asked.postmark = membership.holder.map { Postmark($0, at: now) }
    return [.forward(id, asked, to: target, within: errand.request.longest)]
  }

  public mutating func forwardAnswered(
    _ id: PhoneRequestID, _ result: Result<HTTPResponse, PeerFailure>, now: Instant
  ) -> [Action] {
    guard errands[id]?.stage == .away else { return [] }
    switch result {
    case .success(let response) where response.status == 503: return later(id, now: now)
    case .success(let response): return finish(id, response, now: now)
    case .failure(.unknown): return finish(id, Problem.unavailable(retryAfter: 1).response, now: now)
    case .failure: return later(id, now: now)
    }
  }

  /// Nobody can answer it now; soon somebody will.
  private mutating func later(_ id: PhoneRequestID, now: Instant) -> [Action] {
    guard let errand = errands[id] else { return [] }
    guard now < errand.deadline, !isLongWithoutLease(now: now) else {
      return finish(id, Problem.unavailable(retryAfter: 2).response, now: now)
    }
    errands.move(id, to: .waiting)
    deadlines.set(now + Errand.pause, for: .errand(id))
    return []
  }

  private func isLongWithoutLease(now: Instant) -> Bool { withoutLeaseSince.map { $0 + Errand.patienceWithoutLease <= now } ?? false }

  /// Who stays without a lease can answer nobody: another node can, and the phone may reach that.
  mutating func sendAway(now: Instant) -> [Action] {
    guard isLongWithoutLease(now: now) else { return [] }
    return errands.notAway.flatMap { id, errand in
      let gone = errand.stage == .here ? goneHere(id, errand, now: now) : []
      return gone + finish(id, Problem.unavailable(retryAfter: 1).response, now: now)
    }
  }

  private mutating func goneHere(_ id: PhoneRequestID, _ errand: Errand, now: Instant) -> [Action] {
    settle(switchboard.phoneGone(id, device: errand.asked.device, account: errand.asked.account, now: now), now: now)
  }

  private mutating func finish(_ id: PhoneRequestID, _ response: HTTPResponse, now: Instant) -> [Action] {
    let key = errands[id]?.key
    deadlines.set(nil, for: .errand(id))
    let answers = errands.end(id).map { Action.answer($0, response) }
    // What was not done may be asked for again under the same key.
    guard let key, response.status != 503, response.status != 429 else { return answers }
    let until = now + Contract.idempotencyLifetime
    return [.store(.remember(key.device, key: key.text, reply: RememberedAnswer(response).record, until: until), .nothing)] + answers
  }

  // MARK: Here

  private mutating func answerHere(_ id: PhoneRequestID, now: Instant) -> [Action] {
    guard let errand = errands[id] else { return [] }
    guard place == nil || errand.request.isSetUp || canAnswer(errand.asked.account) else { return later(id, now: now) }
    errands.move(id, to: .here)
    return perform(errand.request, errand.asked(now: now), id, now: now)
  }

  /// Not before it has the calls that it is taking over.
  private func canAnswer(_ account: AccountID) -> Bool { switchboard.knows(account) && !switchboard.isAdopting(account) }

  private mutating func perform(
    _ request: PhoneRequest, _ asked: ForwardedRequest, _ id: PhoneRequestID, now: Instant
  ) -> [Action] {
    if case .setUp(let body) = request {
      return settle(switchboard.setUp(body, id, device: asked.device, account: asked.account, now: now), now: now)
    }
    return settle(
      switchboard.phone(request, id, device: asked.device, account: asked.account, askedAt: now - asked.age, now: now), now: now)
  }

  /// A peer has checked who asks. `answer` or `notHere` follows.
  public mutating func phoneOfPeer(_ asked: ForwardedRequest, _ id: PhoneRequestID, now: Instant) -> [Action] {
    let decoded = PhoneRequest.decode(method: asked.method, path: asked.path, query: asked.query, body: asked.body)
    guard case .success(let request) = decoded, request.isSetUp || canAnswer(asked.account) else { return [.notHere(id)] }
    visitors[id] = Visitor(account: asked.account, device: asked.device)
    var asked = asked
    if let mark = asked.postmark { asked.age += peerClocks.delay(of: mark, now: now) }
    return perform(request, asked, id, now: now)
  }

  /// What the switchboard says. In a cluster another node may be able to do what this one cannot.
  mutating func replied(_ id: PhoneRequestID, _ reply: PhoneReply, now: Instant) -> [Action] {
    let response = place != nil && mayBeWrong(reply, id) ? Problem.unavailable(retryAfter: 1).response : reply.response
    if visitors.removeValue(forKey: id) != nil { return [.answer(id, response)] }
    guard errands[id]?.stage == .here else { return [] }
    return place != nil && response.status == 503 ? later(id, now: now) : finish(id, response, now: now)
  }

  /// There is no such call here, and who knows where.
  private func mayBeWrong(_ reply: PhoneReply, _ id: PhoneRequestID) -> Bool {
    guard !switchboard.isSure || errands[id]?.isBlind == true, case .problem(let problem) = reply else { return false }
    return problem.name == .nothingHeld || problem.name == .noCall
  }
}

extension PhoneRequest {
  var isSetUp: Bool { if case .setUp = self { true } else { false } }

  /// Whether it is for the node that has the call.
  var isAboutCall: Bool {
    switch self {
    case .fetch, .decline, .shown, .answer, .confirm, .status, .offer, .answerOffer, .refuseOffer, .dtmf, .hangUp: true
    case .probe, .setUp, .setUpState, .setPush, .removeSetUp, .removeDevice, .home: false
    }
  }

  /// The home of the call that the request is about; nil: of none.
  func home(in found: Whereabouts, device: DeviceID) -> Holder? {
    switch self {
    case .fetch, .decline, .shown: found.calls.first { $0.isHeld }?.home
    case .answer(let line, _, _), .confirm(let line), .status(let line, _, _), .offer(let line, _), .answerOffer(let line, _, _),
      .refuseOffer(let line, _), .dtmf(let line, _, _), .hangUp(let line):
      // The line of a call that is over is free; the word about its end is where the call was.
      (found.calls.first { $0.lines.contains(Whereabouts.Line(device: device, number: line.rawValue)) } ?? found.calls.last)?.home
    case .probe, .setUp, .setUpState, .setPush, .removeSetUp, .removeDevice, .home: nil
    }
  }

  /// A peer that takes longer is given up.
  var longest: Duration {
    switch self {
    case .status(_, _, let wait): .seconds(wait + 5)
    case .answer, .confirm: .seconds(40)
    default: .seconds(15)
    }
  }
}
