import Primitives

/// What each final response to a REGISTER means.
extension Registration {
  mutating func treat(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    if mayBeBehind(response, attempt) { return [.targetAnswered(target)] + leapt(attempt, target, now) }
    switch response.status {
    case 500...599, 408: return unavailable(response, attempt, target, now)
    default: return [.targetAnswered(target)] + answered(response, attempt, target, now)
    }
  }

  private mutating func answered(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    switch response.status {
    case 200...299: accepted(response, attempt, target, now)
    case 301, 302, 305: redirected(response, attempt, now)
    case 401, 407: challenged(response, attempt, target, now)
    case 420: withoutOptions(response, attempt, target, now)
    case 423: tooBrief(response, attempt, target, now)
    default: rejected(response, attempt, now)
    }
  }

  /// 5xx: the next server. A 503 that names a time speaks for the whole provider.
  private mutating func unavailable(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    var attempt = attempt
    attempt.retryAfter = response.retryAfter.map { max($0, attempt.retryAfter ?? 0) } ?? attempt.retryAfter
    guard response.status == 503, let seconds = response.retryAfter else { return failed(attempt, target, now) }
    let until = now + .seconds(min(seconds, RegistrationTimes.longestRetryAfter))
    return [.targetFailed(target), .pauseProvider(until: until)] + unreachable(attempt, now)
  }

  /// RFC 3261 §22.2. A challenge on a nonce that is not ours is answered; a second one on the nonce that we just answered means
  /// that the credentials are wrong, unless it says that only the nonce was.
  private mutating func challenged(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    let challenges = DigestChallenge.all(in: response)
    let demands = DigestChallenge.demands(in: response)
    guard !demands.isEmpty else { return rejected(response, attempt, now) }
    let choices = Digest.choose(from: challenges, with: credentials(for: attempt))
    guard !choices.isEmpty, choices.allSatisfy({ isNew($0.challenge, attempt) }) else { return credentialsNeeded(demands, attempt, now) }
    var attempt = attempt
    for choice in choices {
      attempt.sessions.removeAll { $0.challenge.isSameAsker(as: choice.challenge) }
      attempt.sessions.append(DigestSession(choice, username: username(for: attempt), cnonce: random.token(16)))
      attempt.answered.append(choice.challenge)
    }
    return again(attempt, target, now)
  }

  private func credentials(for attempt: Attempt) -> [DigestCredential] {
    if case .trial(let tried) = attempt.purpose { tried.credentials } else { credentials }
  }

  private func username(for attempt: Attempt) -> Bytes {
    if case .trial(let tried) = attempt.purpose { tried.username } else { settings.username }
  }

  private func isNew(_ challenge: DigestChallenge, _ attempt: Attempt) -> Bool {
    guard attempt.answered.count < DigestChallenge.limit else { return false }
    let isSameNonce = attempt.sessions.contains { $0.challenge.isSameAsker(as: challenge) && $0.challenge.nonce == challenge.nonce }
    let wasAnswered = attempt.answered.contains { $0.isSameAsker(as: challenge) }
    return !isSameNonce && (!wasAnswered || challenge.isStale)
  }

  /// 423 (RFC 3261 §10.2.8): at once with what the registrar insists on; twice, then it makes no sense.
  private mutating func tooBrief(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    guard let minimum = response.minExpires, minimum > askedExpires, minimum <= RegistrationTimes.longestMinExpires,
      attempt.intervalRaises < 2
    else { return rejected(response, attempt, now) }
    minimumExpires = minimum
    var attempt = attempt
    attempt.intervalRaises += 1
    attempt.answered = []
    return again(attempt, target, now)
  }

  /// 420 (RFC 3261 §8.1.3.5): at once without what it does not know. Each time there is less to leave out, so this ends.
  private mutating func withoutOptions(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    let unsupported = response.unsupported
    let left = options.filter { option in !unsupported.contains { $0.equalsIgnoringCase(option) } }
    guard left.count < options.count else { return rejected(response, attempt, now) }
    options = left
    var attempt = attempt
    attempt.answered = []
    return again(attempt, target, now)
  }

  /// RFC 3261 §10.2.4.
  private mutating func accepted(_ response: Response, _ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    if attempt.purpose == .remove { return finishRemoval() }
    let own = ownContact(in: response, target.transport)
    let granted = min(
      [own?.expires, response.expires].compactMap(\.self).first { $0 > 0 } ?? askedExpires, RegistrationTimes.longestBinding)
    bind(response, own, granted, target, now)
    (refusals, outages) = (0, 0)
    isTLSOnly = isTLSOnly || target.transport == .tls
    var attempt = attempt
    takeNextNonce(response, &attempt)
    sessions = attempt.sessions
    // A registrar that asked for no digest has said nothing about the credentials.
    let outcome = concludeTrial(attempt, attempt.sessions.isEmpty ? .undecided : .accepted)
    let pause = random.refreshPause(granted: granted, isCertain: own != nil)
    let look = isContested ? min(pause, RegistrationTimes.contested) : pause
    isContested = false
    let refresh = foundStrays(response, target.transport) ? now : now + look
    let registered = RegistrationStatus(state: .registered, transport: target.transport)
    return outcome + settle(attempt, registered, until: refresh, now)
  }

  /// Whether there are any that this REGISTER has not asked to remove: those that are still there after that run out by themselves.
  private mutating func foundStrays(_ response: Response, _ transport: Transport) -> Bool {
    let known = strays
    strays = strayContacts(in: response, besides: contact(transport))
    return !strays.allSatisfy(known.contains)
  }

  /// Found by its user part, which no other binding has; not by its host, which the registrar may see or write otherwise. Where an
  /// old binding of ours is still there, the one that equals what we sent, else the one that ends first.
  private func ownContact(in response: Response, _ transport: Transport) -> NameAddress? {
    let ours = ((try? response.contacts) ?? []).filter { (try? URI($0.uri))?.unescapedUser == settings.token }
    guard ours.count > 1, let sent = try? URI(contact(transport)[...]) else { return ours.first }
    return ours.first { (try? URI($0.uri))?.matches(sent) ?? false } ?? ours.min { ($0.expires ?? .max) < ($1.expires ?? .max) }
  }

  private mutating func bind(_ response: Response, _ own: NameAddress?, _ granted: UInt32, _ target: Target, _ now: Instant) {
    func values(_ name: HeaderName) -> [Bytes] { response.message.values(name).map { Array($0) } }
    formerContacts = []
    binding = RegistrationBinding(
      target: target, contact: contact(target.transport), expiresAt: now + .seconds(granted), serviceRoutes: values(.serviceRoute),
      path: values(.path), associatedURIs: values(.pAssociatedURI), publicGRUU: own?.parameters["pub-gruu"].map { Array($0) })
  }

  /// RFC 7616 §3.5.
  private mutating func takeNextNonce(_ response: Response, _ attempt: inout Attempt) {
    guard let info = response.message.value(.authenticationInfo),
      let nonce = ChallengeReader.parameters(of: info).parameter("nextnonce"),
      let index = attempt.sessions.firstIndex(where: { !$0.challenge.isProxy })
    else { return }
    attempt.sessions[index].renew(nonce: nonce, cnonce: random.token(16))
  }
}
