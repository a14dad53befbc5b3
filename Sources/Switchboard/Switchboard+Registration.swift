import PhoneContract
public import Primitives
public import SIP
public import Store

/// Where an account's registrar is to be looked for (RFC 3263).
public struct RegistrarAddress: Sendable, Equatable, Discreet {
  /// The URI of the registrar, or of the proxy before it.
  public internal(set) var uri: Bytes
  public let transport: Account.Transport
  /// Names that a certificate may name (RFC 5922): the SIP domain, and the registrar that the user gave.
  public let domain: String
  public let registrar: String

  /// An outbound proxy stands before the registrar, whatever the registrar's name resolves to.
  public init(registrar: String, domain: String, outboundProxy: String?, transport: Account.Transport) {
    let next = outboundProxy ?? registrar
    uri = Array((next.hasPrefix("sip:") || next.hasPrefix("sips:") ? next : "sip:" + next).utf8)
    self.transport = transport
    self.domain = domain
    self.registrar = registrar
  }
}

/// Keeping the accounts registered.
extension Switchboard {
  // MARK: Events

  /// What RFC 3263 found for the account, best first.
  public mutating func located(_ id: AccountID, _ targets: [Target], now: Instant) -> [Action] {
    guard let provider = accounts[id]?.account.provider, isOwner(of: id) else { return [] }
    providers.learn(targets.map(\.address.ip), of: id)
    let usable = providers.providers[provider]?.greyList.usable(targets, now: now) ?? targets
    return withRegistration(id, now: now) { $0.targetsResolved(usable, now: now) }
  }

  /// The final response to a REGISTER. One that was open when the account went to another node is no business of this one.
  public mutating func registerAnswered(_ id: AccountID, _ response: Response, now: Instant) -> [Action] {
    guard isOwner(of: id) else { return [] }
    if 200...299 ~= response.status, let provider = accounts[id]?.account.provider {
      providers.providers[provider]?.pacing.accepted(id)
    }
    return withRegistration(id, now: now) { $0.received(response, now: now) }
  }

  /// No answer to the REGISTER, or no way to the target.
  public mutating func registerFailed(_ id: AccountID, now: Instant) -> [Action] {
    isOwner(of: id) ? withRegistration(id, now: now) { $0.failed(now: now) } : []
  }

  /// Only the owner says anything to the registrar.
  private func isOwner(of id: AccountID) -> Bool { accounts[id]?.fence != nil }

  /// The connection that the account is registered over is gone.
  public mutating func connectionLost(_ id: AccountID, now: Instant) -> [Action] {
    guard accounts[id]?.registration.status.state == .registered else { return [] }
    accounts[id]?.next = .connectionLost
    return takeTurn(id, now: now)
  }

  // MARK: Accounts come and go

  /// An account that is new, and this node its owner.
  mutating func begin(_ account: Account, _ version: Version, _ fence: Fence, now: Instant) -> [Action] {
    accounts[account.id] = AccountState(account: account, version: version, registration: newRegistration(of: account), fence: fence)
    providers.join(account.id, provider: account.provider, now: now)
    // Before the first REGISTER: whoever takes the account over goes on with its Call-ID, and knows where it may be bound.
    return saveRegistration(account.id) + takeTurn(account.id, now: now)
  }

  mutating func newRegistration(of account: Account) -> Registration {
    Registration(
      registrationSettings(of: account), credentials: account.credentials.compactMap(\.digest), random: SeededRandom(from: &random))
  }

  /// The node is leaving, and nobody takes over: what rings is refused, what was answered is hung up, every binding is given back.
  public mutating func leave(now: Instant) -> [Action] {
    let first = calls.values.sorted { ($0.began, $0.id) < ($1.began, $1.id) }.map(\.id)
    let ended = first.flatMap { id in withCall(id, now: now) { $0.nodeLeaves(now: now) } }
    let owned = accounts.filter { $0.value.fence != nil }.keys.sorted()
    return ended + owned.flatMap { id in withRegistration(id, now: now) { $0.remove(now: now) } }
  }

  func registrationSettings(of account: Account) -> RegistrationSettings {
    RegistrationSettings(
      registrar: Array("sip:\(account.domain)".utf8), addressOfRecord: Array("sip:\(account.user)@\(account.domain)".utf8),
      username: Array((account.authUser ?? account.user).utf8), token: account.id.token, expires: UInt32(account.expires ?? 600),
      contactAddresses: settings.contacts.filter { account.allows($0.key) }.mapValues { Array($0.text.utf8) }, options: [Array("path".utf8)]
    )
  }

  // MARK: Turns

  mutating func registrationDeadline(_ id: AccountID, now: Instant) -> [Action] {
    guard let known = accounts[id], known.fence != nil else { return [] }
    guard !known.registration.isBusy else { return withRegistration(id, now: now) { $0.deadlineReached(now: now) } }
    if known.next != .start { accounts[id]?.next = .deadline }
    return takeTurn(id, now: now)
  }

  /// Asks the provider's pacing; a try begins when it is the account's turn. Those with a call go first.
  mutating func takeTurn(_ id: AccountID, now: Instant) -> [Action] {
    guard let known = accounts[id], known.fence != nil else { return [] }
    return withPacing(known.account.provider, now: now) { $0.request(id, isUrgent: !known.calls.isEmpty, now: now) }
  }

  mutating func pacingDeadline(_ provider: Bytes, now: Instant) -> [Action] {
    withPacing(provider, now: now) { $0.deadlineReached(now: now) }
  }

  mutating func withPacing(
    _ provider: Bytes, now: Instant, _ happen: (inout Pacing<AccountID>) -> [Pacing<AccountID>.Action]
  ) -> [Action] {
    guard let place = providers.providers.index(forKey: provider) else { return [] }
    var actions: [Action] = []
    for action in happen(&providers.providers.values[place].pacing) {
      switch action {
      case .start(let id): actions += tryNow(id, now: now)
      case .wake(let moment): deadlines.set(moment, for: .pacing(provider))
      }
    }
    return actions
  }

  private mutating func tryNow(_ id: AccountID, now: Instant) -> [Action] {
    guard let next = accounts[id]?.next else { return [] }
    accounts[id]?.next = .deadline
    return withRegistration(id, now: now) { registration in
      switch next {
      case .start: registration.start(now: now)
      case .resume: registration.start(now: now) + registration.deadlineReached(now: now)
      case .deadline: registration.deadlineReached(now: now)
      case .connectionLost: registration.connectionLost(now: now)
      }
    }
  }

  // MARK: Actions

  mutating func withRegistration(
    _ id: AccountID, now: Instant, _ happen: (inout Registration) -> [Registration.Action]
  ) -> [Action] {
    guard let place = accounts.index(forKey: id) else { return [] }
    let actions = happen(&accounts.values[place].registration)
    let provider = accounts.values[place].account.provider
    let isBusy = accounts.values[place].registration.isBusy
    let performed = actions.flatMap { perform($0, of: id, provider, now: now) } + saveRegistration(id)
    return performed + (isBusy ? [] : withPacing(provider, now: now) { $0.finished(id, now: now) })
  }

  private mutating func perform(_ action: Registration.Action, of id: AccountID, _ provider: Bytes, now: Instant) -> [Action] {
    switch action {
    case .resolve(let uri): return accounts[id].map { [.locate(id, $0.address(resolving: uri))] } ?? []
    case .send(let request, let target): return [.register(id, request, target)]
    case .changed(let status):
      if status.state == .registered { accounts[id]?.isProven = true }
      return [.note(.registration(id, status.state))] + (status.state == .registering ? [] : answerSetUps(of: id, now: now))
    case .wake(let moment): deadlines.set(moment, for: .registration(id))
    case .targetFailed(let target): providers.providers[provider]?.greyList.failed(target, now: now)
    case .targetAnswered(let target): providers.providers[provider]?.greyList.answered(target)
    case .pauseProvider(let until): providers.providers[provider]?.pacing.pause(until: until, askedOf: id)
    case .trial(let outcome): return trialEnded(id, outcome, now: now)
    case .removed: return deregistered(id, now: now)
    }
    return []
  }
}

extension Account {
  /// Whether the user wants it used. A `sips` proxy is reached over TLS also where TCP was chosen (RFC 3263 §4.1).
  fileprivate func allows(_ other: SIP.Transport) -> Bool {
    switch transport {
    case .auto: true
    case .tls: other == .tls
    case .tcp: other == (outboundProxy?.hasPrefix("sips:") == true ? .tls : .tcp)
    case .udp: other == .udp
    }
  }
}
