import Primitives

/// One try, from target to target.
extension Registration {
  /// More than any provider has.
  private static let mostTargets = 8

  mutating func begin(_ purpose: Attempt.Purpose, _ now: Instant) -> [Action] {
    var attempt = Attempt(purpose: purpose, registrar: settings.registrar, sessions: purpose.isTrial ? [] : sessions)
    if case .resting(let until) = phase { attempt.resumeAt = until }
    return resolve(attempt, now)
  }

  private mutating func resolve(_ attempt: Attempt, _ now: Instant) -> [Action] {
    phase = .resolving(attempt, until: now + RegistrationTimes.longestResolving)
    return [.resolve(uri: attempt.registrar)]
  }

  /// The server that has the binding comes first.
  func usable(_ targets: [Target]) -> [Target] {
    // A set-up that asks for another transport leaves no address for TLS: that is no silent fall-back.
    let mustBeTLS = isTLSOnly && settings.contactAddresses[.tls] != nil
    let usable = targets.filter { settings.contactAddresses[$0.transport] != nil && (!mustBeTLS || $0.transport == .tls) }
    guard let bound = binding?.target, usable.contains(bound) else { return Array(usable.prefix(Self.mostTargets)) }
    return Array(([bound] + usable.filter { $0 != bound }).prefix(Self.mostTargets))
  }

  mutating func tryNext(_ attempt: Attempt, _ now: Instant) -> [Action] {
    if isOvertaken(attempt) { return settle(attempt, status, until: now, now) }
    guard let target = attempt.targets.first else { return unreachable(attempt, now) }
    var attempt = attempt
    attempt.targets.removeFirst()
    attempt.answered = []
    return send(attempt, target, now)
  }

  private mutating func send(_ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    var attempt = attempt
    cseq += 1
    let request = register(&attempt, target)
    if attempt.purpose != .remove { mayBeBound = true }
    phase = .trying(attempt, target, until: now + RegistrationTimes.longestFlight)
    return [.send(request, to: target)]
  }

  /// RFC 3261 §10.2: no Via yet.
  private func register(_ attempt: inout Attempt, _ target: Target) -> Request {
    let authorizations = attempt.sessions.indices.map { index in
      (attempt.sessions[index].header, attempt.sessions[index].authorization(method: .register, uri: attempt.registrar))
    }
    let expires = attempt.purpose == .remove ? 0 : askedExpires
    return MessageBuilder.request(.register, uri: attempt.registrar, body: Bytes()) { builder in
      builder.append(.maxForwards, "70")
      builder.append(.from) { $0.append(address: settings.addressOfRecord, tag: fromTag) }
      builder.append(.to) { $0.append(address: settings.addressOfRecord, tag: nil) }
      builder.append(.callID, callID)
      builder.append(.cSeq, CSeq(number: cseq, method: .register).bytes)
      builder.append(.contact, contactValue(target.transport, expires))
      for stale in staleContacts(besides: contact(target.transport)) {
        builder.append(.contact) { $0.append(removed: stale) }
      }
      builder.append(.expires) { $0.append(decimal: expires) }
      if !options.isEmpty { builder.append(.supported, Array(options.joined(separator: Bytes(", ".utf8)))) }
      for (name, value) in authorizations { builder.append(name, value) }
    }
  }

  /// Always the configured value, unless the registrar insists on more.
  var askedExpires: UInt32 { max(settings.expires, minimumExpires) }

  /// Our Contact's URI over this transport.
  func contact(_ transport: Transport) -> Bytes {
    var uri = Bytes("sip:".utf8) + settings.token
    uri.append("@")
    uri.append(contentsOf: settings.contactAddresses[transport] ?? [])
    uri.append(";transport=")
    uri.append(contentsOf: Bytes(transport.viaName.description.utf8).map(\.lowercased))
    return uri
  }

  private func contactValue(_ transport: Transport, _ expires: UInt32) -> Bytes {
    var value = Bytes()
    value.append(address: contact(transport), tag: nil)
    value.append(";expires=")
    value.append(decimal: expires)
    if let instance = settings.instance, options.contains(where: { $0.equalsIgnoringCase("outbound") }) {
      value.append(";reg-id=1;+sip.instance=\"<")
      value.append(contentsOf: instance)
      value.append(">\"")
    }
    return value
  }

  /// No response, 5xx, or no connection: the next server within the same try.
  mutating func failed(_ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    [.targetFailed(target)] + tryNext(attempt, now)
  }

  /// The same server again, with something changed.
  mutating func again(_ attempt: Attempt, _ target: Target, _ now: Instant) -> [Action] {
    if isOvertaken(attempt) { return settle(attempt, status, until: now, now) }
    return send(attempt, target, now)
  }

  /// The account was given up while another try was open: only the removal is worth a further request. Or it has other settings: this
  /// try's servers and Contact are not those that are wanted.
  private func isOvertaken(_ attempt: Attempt) -> Bool { (isRemovalWanted || isRenewalWanted) && attempt.purpose != .remove }

  mutating func redirected(_ response: Response, _ attempt: Attempt, _ now: Instant) -> [Action] {
    guard !attempt.isRedirected, let contact = (try? response.contacts)?.first?.uri, let uri = try? URI(contact), uri.host != nil else {
      return rejected(response, attempt, now)
    }
    var attempt = attempt
    attempt.isRedirected = true
    attempt.registrar = Array(contact)
    // The digests of one server are none of another one's business.
    attempt.sessions = []
    return resolve(attempt, now)
  }
}

extension Registration.Attempt.Purpose {
  var isTrial: Bool {
    if case .trial = self { true } else { false }
  }
}

extension Bytes {
  fileprivate mutating func append(address uri: Bytes, tag: Bytes?) {
    append("<")
    append(contentsOf: uri)
    append(">")
    guard let tag else { return }
    append(";tag=")
    append(contentsOf: tag)
  }

  fileprivate mutating func append(removed uri: Bytes) {
    append(address: uri, tag: nil)
    append(";expires=0")
  }
}
