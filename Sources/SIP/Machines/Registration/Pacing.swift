public import Primitives

/// How fast REGISTERs go to one provider: a token bucket, and so many at once. Who may not go yet waits in line, each account once;
/// the shell starts an account's try when `start` says so and calls `finished` when it has its outcome.
public struct Pacing<Account: Hashable & Sendable>: Sendable {
  public struct Limits: Sendable, Hashable {
    public var perSecond: Int
    /// As many may go at once after a silence.
    public var burst: Int
    public var inFlight: Int

    public init(perSecond: Int = 50, burst: Int = 50, inFlight: Int = 100) {
      self.perSecond = max(perSecond, 1)
      self.burst = max(burst, 1)
      self.inFlight = max(inFlight, 1)
    }
  }

  public enum Action: Equatable, Sendable {
    case start(Account)
    case wake(at: Instant)
  }

  public let limits: Limits
  private var urgent = WaitingLine<Account>()
  private var ordinary = WaitingLine<Account>()
  private var inFlight: Set<Account> = []
  /// When the bucket would be full again: one clock reading instead of a count of tokens (the virtual scheduling of a leaky bucket).
  private var fullAt: Instant
  private var pausedUntil: Instant
  /// Accounts that were accepted since the provider last asked to wait: two tell whether there was another one.
  private var accepted: Set<Account> = []
  /// It was asked to wait while others were accepted: that is about it alone.
  private var refusedAlone: Account?

  public init(limits: Limits = Limits(), now: Instant) {
    self.limits = limits
    fullAt = now
    pausedUntil = now
  }

  public var waitingCount: Int { urgent.count + ordinary.count }
  public var inFlightCount: Int { inFlight.count }

  /// The account wants to send. Nothing happens where it waits already; `isUrgent` (it has a call) puts it before the others.
  public mutating func request(_ account: Account, isUrgent: Bool = false, now: Instant) -> [Action] {
    if isUrgent {
      ordinary.remove(account)
      urgent.append(account)
    } else if !urgent.contains(account) {
      ordinary.append(account)
    }
    return startNext(now)
  }

  /// The account's try has its outcome, or the account is gone.
  public mutating func finished(_ account: Account, now: Instant) -> [Action] {
    inFlight.remove(account)
    return startNext(now)
  }

  /// The account wants nothing any more.
  public mutating func withdraw(_ account: Account, now: Instant) -> [Action] {
    urgent.remove(account)
    ordinary.remove(account)
    return finished(account, now: now)
  }

  /// The account had a 2xx: the provider has room.
  public mutating func accepted(_ account: Account) {
    if account == refusedAlone { refusedAlone = nil }
    if accepted.count < 2 { accepted.insert(account) }
  }

  /// The provider asked this account to wait (503 with Retry-After). That holds for everybody, unless others were accepted meanwhile:
  /// one account that it never serves must not keep all others waiting.
  public mutating func pause(until: Instant, askedOf account: Account) {
    if account == refusedAlone { return }
    let isAlone = accepted.contains { $0 != account }
    accepted = []
    refusedAlone = isAlone ? account : nil
    if !isAlone { pausedUntil = max(pausedUntil, until) }
  }

  public mutating func deadlineReached(now: Instant) -> [Action] { startNext(now) }

  private mutating func startNext(_ now: Instant) -> [Action] {
    var actions: [Action] = []
    while waitingCount > 0, inFlight.count < limits.inFlight {
      let earliest = max(pausedUntil, fullAt - token * (limits.burst - 1))
      guard now >= earliest else { return actions + [.wake(at: earliest)] }
      guard let account = urgent.popFirst() ?? ordinary.popFirst() else { break }
      fullAt = max(fullAt, now) + token
      inFlight.insert(account)
      actions.append(.start(account))
    }
    return actions
  }

  /// How long one token takes to grow back.
  private var token: Duration { .seconds(1) / limits.perSecond }
}

/// First come, first served, each once; leaving the line from its middle is cheap.
private struct WaitingLine<Element: Hashable & Sendable>: Sendable {
  private var places: [Element: UInt64] = [:]
  private var order: [(place: UInt64, element: Element)] = []
  private var head = 0
  private var nextPlace: UInt64 = 0

  var count: Int { places.count }

  func contains(_ element: Element) -> Bool { places[element] != nil }

  mutating func append(_ element: Element) {
    guard places[element] == nil else { return }
    places[element] = nextPlace
    order.append((nextPlace, element))
    nextPlace += 1
  }

  mutating func remove(_ element: Element) { places[element] = nil }

  mutating func popFirst() -> Element? {
    while head < order.count {
      let (place, element) = order[head]
      head += 1
      if head > 1024, head * 2 > order.count {
        order.removeFirst(head)
        head = 0
      }
      if places[element] == place {
        places[element] = nil
        return element
      }
    }
    return nil
  }
}
