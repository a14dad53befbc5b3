public import PhoneContract
import Primitives
public import SIP
import Store

/// An account that this node keeps registered.
struct AccountState: Sendable, Equatable {
  var account: Account
  var version: Version
  var registration: Registration
  /// nil: another node owns the account, and a call of it is at home here.
  var fence: Fence?
  /// What this node owned it with when it lost its lease.
  var suspended: Fence?
  /// What this node owned it with before it let it go: until its next owner has had the time to take it, the store may lose it.
  var parted: Fence?
  /// Somebody else has had it since this node owned it, and may still write a binding.
  var isContested = false
  /// Its calls on this node: being claimed, ringing, answered, or with somebody left to tell.
  var calls: Set<CallID> = []
  /// Writes of the account that the store has not answered: what is known here may be behind, and does not go into the store in the
  /// place of what it has.
  var openWrites = 0
  var isRestoreDue = false
  /// The store was told that this node owns it, and its answer is lost.
  var isRestoreUnheard = false
  /// The provider has taken the account at least once.
  var isProven = false
  /// A set-up with other credentials, until the provider has spoken.
  var trial: SetUpJob?
  /// Trials of credentials that are not the account's.
  var trials = TrialLimit.ofAccount
  /// What the registration does when it is its turn.
  var next: NextTry = .start
  /// Everybody has left; the binding is being removed. `Reborn` came meanwhile.
  var isRetired = false
  var reborn: Reborn?

  /// The account as it begins anew.
  struct Reborn: Sendable, Equatable {
    var account: Account
    var version: Version
    let fence: Fence
  }

  enum NextTry: Sendable, Equatable { case start, resume, deadline, connectionLost }

  init(account: Account, version: Version, registration: Registration, fence: Fence?) {
    self.fence = fence
    self.account = account
    self.version = version
    self.registration = registration
  }

  /// What a write in the account's name carries.
  var writes: Fence? { reborn?.fence ?? fence }

  /// Whether the registration has had an outcome. That of an account which is to begin anew has not begun.
  var isSettled: Bool { reborn == nil && registration.status.state != .registering }

  /// Those whose phones ring: in `callback` mode they are told otherwise, with a dead token not at all.
  var ringingDevices: [Device] { account.devices.filter { $0.mode == .ring && $0.pushState == .ok } }

  /// Where to look for the registrar; a registrar that redirects has named another one.
  func address(resolving uri: Bytes) -> RegistrarAddress {
    var address = RegistrarAddress(
      registrar: account.registrar, domain: account.domain, outboundProxy: account.outboundProxy, transport: account.transport)
    if uri != registration.settings.registrar { address.uri = uri }
    return address
  }

  /// Kept in memory only: it decides who loses a slot, and is written with the next change.
  mutating func touch(_ device: DeviceID, now: Instant) {
    if let touched = account.touching(device, now: now) { account = touched }
  }

  func registrationState(now: Instant) -> SetUpState.Registration {
    guard reborn == nil else { return SetUpState.Registration(state: .registering, transport: nil) }
    let status = registration.status
    let challenges = status.demands.map { ChallengeBody(realm: $0.realm.text, algorithm: $0.algorithm.text) }
    return SetUpState.Registration(
      state: RegistrationState(rawValue: status.state.rawValue) ?? .registering, transport: status.transport.map { TransportChoice($0) },
      challenges: challenges, retryAfter: status.retryAt.map { Int(max(now.duration(to: $0), .zero).components.seconds) })
  }
}

extension TransportChoice {
  public init(_ transport: Transport) {
    switch transport {
    case .udp: self = .udp
    case .tcp: self = .tcp
    case .tls: self = .tls
    }
  }
}
