public import PhoneContract
public import Primitives
public import SIP
public import Store

/// The story of every account and call of a node: it registers, holds, announces, hands over to the phone, talks, ends.
///
/// A value: events and the time come in, actions come out, to be done in their order. It reads no clock and opens nothing, so the
/// same events always give the same actions.
public struct Switchboard: Sendable {
  /// What the shell does for it.
  public enum Action: Sendable {
    case respond(ServerTransactionID, Response)
    /// The ACK to the 200 has come: repeat it no more.
    case acknowledged(ServerTransactionID)
    /// No response now or later.
    case drop(ServerTransactionID)
    /// A request inside a dialog, without Via, over the flow where that is open, else to `nextHop` (RFC 3263).
    case send(Request, nextHop: URI, over: Flow, CallID)
    /// Find out where the account's registrar is.
    case locate(AccountID, RegistrarAddress)
    /// A REGISTER, without Via.
    case register(AccountID, Request, Target)
    case announce(CallID, Device, Caller, at: Instant)
    /// Where the announcement has not left yet, it shall not.
    case withdraw(CallID, DeviceID)
    case stop(CallID, Device, StopReason, at: Instant)
    case reply(PhoneRequestID, PhoneReply)
    /// The transaction of an INVITE that another node had goes on here, with the last response that went out.
    case adopt(Request, last: Response?, Flow)
    /// A request for a call that is not here: another node may be its home. Without one it gets 481.
    case elsewhere(AccountID, Request, ServerTransactionID, Flow)
    /// This node is the account's owner from now on, or is it no more.
    case owns(AccountID, Fence)
    case lost(AccountID)
    /// What was asked for by `handOver` is done, or cannot be now.
    case handedOver(AccountID)
    case kept(AccountID)
    /// The reply of the store comes back with the tag.
    case store(StoreCommand, StoreTag)
    case note(Note)
  }

  /// Names a command of the store that is under way.
  public struct StoreTag: Sendable, Hashable {
    let number: UInt64
  }

  /// Names a dialog from our side (RFC 3261 §12): the other side's tag is checked by the dialog itself.
  struct DialogKey: Sendable, Hashable {
    let callID: Bytes
    let localTag: Bytes
  }

  /// Everything that has a time.
  enum Timed: Sendable, Hashable {
    case call(CallID)
    case registration(AccountID)
    case pacing(Bytes)
    case setUp(PhoneRequestID)
    case memory
    case debts
    case settling
    case unheard
    case restored(AccountID)
    case parting(AccountID)
  }

  public let settings: Settings
  /// Who this node is to the store: what it writes in the name of.
  public internal(set) var holder: Holder
  /// Whoever lives, by the last word of the membership.
  var living: Set<Holder> = []
  /// The last life of each node that has died: also a store that has gone back behind its burial does not make it live again.
  var dead: [NodeID: UInt64] = [:]
  /// Nodes that have calls of others' and do not know yet whose they are.
  var heirs: Set<NodeID> = []
  var random: SeededRandom
  var deadlines = DeadlineQueue<Timed>()

  var accounts: [AccountID: AccountState] = [:]
  /// Those that the store may have learnt of a moment ago: homes elsewhere say their calls of them again, and new ones wait for that.
  var justRestored: Set<AccountID> = []
  var calls: [CallID: Call] = [:]
  /// For as long as there is the transaction: also of a call that is over, where the INVITE may come again.
  var callOfTransaction: [ServerTransactionID: CallID] = [:]
  var callOfDialog: [DialogKey: CallID] = [:]
  var callOfLine: [DeviceLine: CallID] = [:]
  /// The call that rings, of each account: the one that its phones can fetch.
  var ringing: [AccountID: CallID] = [:]

  var steps: [StoreTag: Step] = [:]
  /// Said by the membership before the store's replies come.
  public var footing = Footing.alone
  var outboxes: [CallID: Outbox] = [:]
  /// What was said last of each call to the store, unless it could not take it.
  var said: [CallID: Bytes] = [:]
  var lastTag: UInt64 = 0
  var debts = Debts()
  /// How many claims of a line are under way.
  var lineClaims: [LineClaim: Int] = [:]
  /// Calls that may be another node's by now: nothing is said about them until the store has spoken.
  var inDoubt: Set<CallID> = []
  var settling = Settling()
  /// The life in whose name this node has what it has not asked for again.
  var formerLife: Holder?
  /// The lease is gone.
  var isPassive = false
  var backlog = Backlog()
  var adoptions = Adoptions()
  var ended = EndedCalls()
  /// INVITEs whose account is being read, and whether they are cancelled by now.
  var visits: [ServerTransactionID: Bool] = [:]
  /// Set-ups that wait for the first outcome of a registration.
  var setUps: [PhoneRequestID: SetUpJob] = [:]
  var phones = PhoneDesk()
  var providers = ProviderDesk()
  var trials = TrialLimit.ofNode

  /// - Parameter holder: a single node is alone from the start; one of a cluster acts only once it `stoodUp`.
  public init(settings: Settings, holder: Holder = .alone, random: SeededRandom) {
    self.settings = settings
    self.holder = holder
    self.random = random
  }

  /// When `deadlineReached` wants to be called; nil: nothing is due.
  public var nextDeadline: Instant? { deadlines.earliest }

  public mutating func deadlineReached(now: Instant) -> [Action] {
    var actions: [Action] = []
    while let due = deadlines.popDue(now: now) {
      switch due {
      case .call(let id): actions += withCall(id, now: now) { $0.deadlineReached(now: now) }
      case .registration(let id): actions += registrationDeadline(id, now: now)
      case .pacing(let provider): actions += pacingDeadline(provider, now: now)
      case .setUp(let request): actions += setUpWaited(request, now: now)
      case .memory: actions += forgetOld(now: now)
      case .debts: actions += payDebts(now: now)
      case .parting(let id): hasParted(id)
      case .settling: actions += settlingLooked(now: now)
      case .unheard: settling.hearsNobodyMore()
      case .restored(let id): actions += homesHaveSpoken(of: id, now: now)
      }
    }
    return actions
  }

  /// Whether an account is registered there.
  public func isProvider(_ address: IPAddress) -> Bool { providers.isProvider(address) }

  /// How many calls ring and how many are answered, for the gauges.
  public var load: (accounts: Int, held: Int, answered: Int) {
    let answered = calls.values.count { $0.isAnswered }
    return (accounts.count, calls.values.count { $0.held != nil }, answered)
  }

  mutating func storing(_ command: StoreCommand, then step: Step) -> Action {
    lastTag += 1
    let tag = StoreTag(number: lastTag)
    steps[tag] = step
    return .store(command, tag)
  }
}
