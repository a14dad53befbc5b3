import PhoneContract
import Primitives
public import SIP
import Store

/// Something about an account that another node owns. The account is read, and is a guest here for as long as a call of it is.
struct Visit: Sendable, Equatable {
  enum Reason: Sendable, Equatable {
    /// It came to an address that the account had, or over an old connection: the call gets its home here.
    case invite(Request, ServerTransactionID, Flow)
    /// A call that this node adopted for an account that has gone meanwhile.
    case orphan(Orphan, Bytes)
    /// A device that was set up after the account came here.
    case phone(PhoneRequest, PhoneRequestID, DeviceID, askedAt: Instant)
  }

  let account: AccountID
  let reason: Reason
}

extension Switchboard {
  /// nil: nothing says that there is such an account.
  mutating func visit(_ invite: Request, _ id: ServerTransactionID, _ flow: Flow) -> [Action]? {
    guard isRecording, let account = (try? URI(invite.uri))?.unescapedUser.flatMap({ AccountID(token: $0) }) else { return nil }
    return visit(Visit(account: account, reason: .invite(invite, id, flow)))
  }

  mutating func visit(_ visit: Visit) -> [Action] {
    if case .invite(_, let id, _) = visit.reason { visits[id] = false }
    return [storing(.account(visit.account), then: .visited(visit))]
  }

  /// Where the caller has left meanwhile, that is all that there is to say.
  private mutating func endVisit(_ visit: Visit) -> [Action]? {
    guard case .invite(let invite, let id, _) = visit.reason, visits.removeValue(forKey: id) == true else { return nil }
    return refuse(invite, id, 487)
  }

  mutating func visitRead(_ visit: Visit, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .account(let stored) = reply else { return undecided(visit, now: now) }
    guard let stored else { return nobody(visit) }
    return [storing(.registration(visit.account), then: .visitedRegistration(visit, stored))]
  }

  mutating func visitRead(_ visit: Visit, _ stored: StoreReply.Stored, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .record(let record) = reply else { return undecided(visit, now: now) }
    if let cancelled = endVisit(visit) { return cancelled }
    let learnt = receive(stored, record, now: now)
    let actions: [Action] =
      switch visit.reason {
      case .invite(let invite, let id, let flow): inviteForGuest(invite, id, flow, now: now)
      case .orphan(let orphan, let record): take(orphan, record, now: now)
      case .phone(let request, let id, let device, let askedAt):
        phoneOfKnown(request, id, device: device, account: visit.account, askedAt: askedAt, now: now)
      }
    forgetGuest(visit.account)
    return learnt + actions
  }

  /// The store is away.
  private mutating func undecided(_ visit: Visit, now: Instant) -> [Action] {
    if case .invite(let invite, let id, let flow) = visit.reason, let waits = putOff(.request(invite, id, from: flow), now: now) {
      visits[id] = nil
      return waits
    }
    if let cancelled = endVisit(visit) { return cancelled }
    switch visit.reason {
    case .invite(let invite, let id, _): return [.note(.callRejected(.overloaded))] + refuse(invite, id, 503)
    case .orphan(let orphan, _):
      owe(.adopt(orphan), now: now)
      return []
    case .phone(_, let id, _, _): return [.reply(id, .problem(.unavailable(retryAfter: 1)))]
    }
  }

  /// There is no such account.
  private mutating func nobody(_ visit: Visit) -> [Action] {
    if let cancelled = endVisit(visit) { return cancelled }
    switch visit.reason {
    case .invite(let invite, let id, let flow): return strangerCalls(invite, id, flow)
    case .orphan: return []
    case .phone(_, let id, _, _): return [.reply(id, .problem(.notSetUp))]
    }
  }

  /// The account as a guest: known here, kept elsewhere. What this node owns it mostly knows better.
  private mutating func receive(_ stored: StoreReply.Stored, _ record: Bytes?, now: Instant) -> [Action] {
    let id = stored.account.id
    guard let known = accounts[id] else {
      let snapshot = Snapshot(account: stored.account, version: stored.version, registration: record)
      let registration = registration(of: snapshot)
      accounts[id] = AccountState(account: stored.account, version: stored.version, registration: registration, fence: nil)
      providers.join(id, provider: stored.account.provider, now: now)
      learnProvider(of: id)
      return []
    }
    let isNews = known.fence == nil || known.version.number < stored.version.number
    return isNews ? learn(stored.account, stored.version, now: now) : []
  }

  /// A request about a call that is not here. TOKEN names the account; its other calls may be at home elsewhere, or be on their way here.
  mutating func elsewhere(_ request: Request, _ id: ServerTransactionID, _ flow: Flow) -> [Action]? {
    guard isRecording, let account = (try? URI(request.uri))?.unescapedUser.flatMap({ AccountID(token: $0) }) else { return nil }
    let waits = adoptions.park(Adoptions.Parked(request: request, transaction: id, flow: flow), for: account)
    return waits ? [] : [.elsewhere(account, request, id, flow)]
  }

  /// Whoever may have the call cannot be asked. A dialog survives this answer (RFC 3261 §12.2.1.2).
  public mutating func undecided(_ request: Request, _ id: ServerTransactionID) -> [Action] { refuse(request, id, 503) }

  /// Nobody has the call.
  public mutating func nobodyHas(_ request: Request, _ id: ServerTransactionID) -> [Action] { refuse(request, id, 481) }
}
