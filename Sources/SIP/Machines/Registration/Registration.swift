public import Primitives

/// One account's binding at its registrar (RFC 3261 §10), from the first REGISTER to its removal, as plain data.
///
/// One request is open at a time. Where `isBusy` is false, the shell asks `Pacing` for a place before it calls what begins a try
/// (`start`, `deadlineReached`, `connectionLost`, `replaceCredentials`, `remove`), and gives it back as soon as `isBusy` is false again.
public struct Registration: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    case new
    /// Registered, or waiting after a failure.
    case resting(until: Instant)
    case resolving(Attempt, until: Instant)
    /// A REGISTER is open.
    case trying(Attempt, Target, until: Instant)
    case removed
  }

  /// One try: all that is sent until there is an outcome.
  struct Attempt: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
      case register, remove
      /// With credentials that are not the account's yet.
      case trial(Trial)
    }
    var purpose: Purpose
    var registrar: Bytes
    var sessions: [DigestSession]
    /// Those that are left.
    var targets: [Target] = []
    /// Challenges answered at this target.
    var answered: [DigestChallenge] = []
    var intervalRaises = 0
    var isRedirected = false
    var hasLeapt = false
    /// The longest that any server asked for.
    var retryAfter: UInt32?
    /// When the next try was due: it is again after a trial that changed nothing.
    var resumeAt: Instant?
  }

  struct Trial: Sendable, Equatable {
    let username: Bytes
    let credentials: [DigestCredential]
  }

  public enum TrialOutcome: Sendable, Equatable {
    case accepted, refused
    /// No answer that says anything about the credentials.
    case undecided
  }

  public enum Action: Sendable, Equatable {
    /// RFC 3263 for this URI; `targetsResolved` wants the outcome.
    case resolve(uri: Bytes)
    /// Without Via.
    case send(Request, to: Target)
    case changed(RegistrationStatus)
    /// `deadlineReached` wants to be called then. Each one replaces the one before.
    case wake(at: Instant)
    /// For the grey list of the provider.
    case targetFailed(Target)
    case targetAnswered(Target)
    /// For the pacing of the provider: 503 with Retry-After. It decides whether others wait too.
    case pauseProvider(until: Instant)
    case trial(TrialOutcome)
    /// The binding is gone or out of reach; credentials are forgotten. Nothing comes after it.
    case removed
  }

  public internal(set) var settings: RegistrationSettings
  public let callID: Bytes
  public let fromTag: Bytes
  public internal(set) var cseq: UInt32 = 0
  public internal(set) var credentials: [DigestCredential]
  public internal(set) var status = RegistrationStatus(state: .registering)
  public internal(set) var binding: RegistrationBinding?
  var phase = Phase.new
  var sessions: [DigestSession] = []
  /// Credentials that wait for the provider's word: those of the open trial, or of the one that comes next.
  var trial: Trial?
  var isRemovalWanted = false
  /// The settings changed while a try was under way.
  var isRenewalWanted = false
  /// Another owner may still bind itself.
  var isContested = false
  /// A REGISTER went out: there may be a binding, whatever came back.
  var mayBeBound = false
  /// What owners before this one may have bound, until there is an outcome.
  var formerContacts: [Bytes] = []
  /// Once registered over TLS never again without.
  var isTLSOnly = false
  /// Of a 423; kept from then on.
  var minimumExpires: UInt32 = 0
  /// Offered in Supported; shrinks with each 420.
  var options: [Bytes]
  /// Contacts of ours that the registrar listed and that nobody keeps: each REGISTER asks to remove them.
  var strays: [Bytes] = []
  var refusals = 0
  var outages = 0
  var random: SeededRandom

  /// - Parameter random: for Call-ID, tag, cnonces and jitter.
  public init(_ settings: RegistrationSettings, credentials: [DigestCredential], random: SeededRandom) {
    self.settings = settings
    self.credentials = credentials
    self.random = random
    options = settings.options
    callID = self.random.token(24)
    fromTag = self.random.token(12)
  }

  /// Whether a try is under way.
  public var isBusy: Bool {
    switch phase {
    case .resolving, .trying: true
    case .new, .resting, .removed: false
    }
  }

  /// When `deadlineReached` wants to be called.
  public var deadline: Instant? {
    switch phase {
    case .resting(let until), .resolving(_, let until), .trying(_, _, let until): until
    case .new, .removed: nil
    }
  }
}

/// Events.
extension Registration {
  /// The first try.
  public mutating func start(now: Instant) -> [Action] {
    guard phase == .new else { return [] }
    return [.changed(status)] + waking { $0.begin(.register, now) }
  }

  /// Time for a refresh or the next try; or nobody reported back.
  public mutating func deadlineReached(now: Instant) -> [Action] {
    guard let deadline, now >= deadline else { return [] }
    return waking { registration in
      switch registration.phase {
      case .resting: registration.isRemovalWanted ? registration.leave(now) : registration.begin(.register, now)
      case .resolving(let attempt, _): registration.unreachable(attempt, now)
      case .trying(let attempt, let target, _): registration.failed(attempt, target, now)
      case .new, .removed: []
      }
    }
  }

  /// What RFC 3263 found, best first, without those that the grey list leaves out; empty for nothing.
  public mutating func targetsResolved(_ targets: [Target], now: Instant) -> [Action] {
    guard case .resolving(var attempt, _) = phase else { return [] }
    attempt.targets = usable(targets)
    return waking { $0.tryNext(attempt, now) }
  }

  /// A final response to the open REGISTER; any other is ignored.
  public mutating func received(_ response: Response, now: Instant) -> [Action] {
    guard case .trying(let attempt, let target, _) = phase, response.status >= 200,
      (try? response.cseq) == CSeq(number: cseq, method: .register)
    else { return [] }
    return waking { $0.treat(response, attempt, target, now) }
  }

  /// No response came to the open REGISTER, or its transport failed.
  public mutating func failed(now: Instant) -> [Action] {
    guard case .trying(let attempt, let target, _) = phase else { return [] }
    return waking { $0.failed(attempt, target, now) }
  }

  /// The connection of the binding is gone: the provider cannot reach us over it any more. A pause after a refusal goes on.
  public mutating func connectionLost(now: Instant) -> [Action] {
    guard case .resting = phase, status.state == .registered else { return [] }
    return waking { $0.begin(.register, now) }
  }

  /// The account is given up: its binding is removed, as soon as no other request is open.
  public mutating func remove(now: Instant) -> [Action] {
    guard !isRemovalWanted, phase != .removed else { return [] }
    isRemovalWanted = true
    if case .trying = phase { return [] }
    return waking { $0.leave(now) }
  }

  private mutating func leave(_ now: Instant) -> [Action] { mayBeBound ? begin(.remove, now) : finishRemoval() }

  /// Other credentials, and the user name that they are for, from somebody who may not own the account: they count once the provider
  /// has accepted them. A trial that is open is over, undecided.
  public mutating func replaceCredentials(_ new: [DigestCredential], username: Bytes? = nil, now: Instant) -> [Action] {
    guard !isRemovalWanted, phase != .removed else { return [.trial(.undecided)] }
    let replaced: [Action] = trial == nil ? [] : [.trial(.undecided)]
    let new = Trial(username: username ?? settings.username, credentials: new)
    trial = new
    if isBusy { return replaced }
    return replaced + waking { $0.begin(.trial(new), now) }
  }

  /// Other settings for the same account, or other servers to be looked for: it is to be registered anew, now or after the try that is
  /// under way.
  public mutating func renew(_ new: RegistrationSettings, now: Instant) -> [Action] {
    guard !isRemovalWanted, phase != .removed else { return [] }
    if new.username != settings.username { sessions = [] }
    settings = new
    guard phase != .new else { return [] }
    (refusals, outages) = (0, 0)
    status = RegistrationStatus(state: .registering)
    if isBusy { isRenewalWanted = true } else { phase = .resting(until: now) }
    return [.changed(status)] + waking { _ in [] }
  }

  /// Whatever the step did, the shell learns the next deadline.
  private mutating func waking(_ step: (inout Registration) -> [Action]) -> [Action] {
    let actions = step(&self)
    return actions + (deadline.map { [.wake(at: $0)] } ?? [])
  }
}
