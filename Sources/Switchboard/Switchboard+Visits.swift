import Primitives
public import SIP
import Store

/// An INVITE for an account that another node owns: it came to an address that the account had, or over an old connection.
struct Visit: Sendable, Equatable {
  let account: AccountID
  let invite: Request
  let transaction: ServerTransactionID
  let flow: Flow
}

extension Switchboard {
  /// The account is read, and the call gets its home here. nil: nothing says that there is such an account.
  mutating func visit(_ invite: Request, _ id: ServerTransactionID, _ flow: Flow) -> [Action]? {
    guard isRecording, let account = (try? URI(invite.uri))?.unescapedUser.flatMap({ AccountID(token: $0) }) else { return nil }
    let visit = Visit(account: account, invite: invite, transaction: id, flow: flow)
    return [storing(.account(account), then: .visited(visit))]
  }

  mutating func visitRead(_ visit: Visit, _ reply: StoreReply) -> [Action] {
    guard case .account(let stored?) = reply else { return strangerCalls(visit.invite, visit.transaction, visit.flow) }
    return [storing(.registration(visit.account), then: .visitedRegistration(visit, stored))]
  }

  mutating func visitRead(_ visit: Visit, _ stored: StoreReply.Stored, _ reply: StoreReply, now: Instant) -> [Action] {
    if accounts[visit.account] == nil { receive(stored, reply, now: now) }
    return inviteReceived(visit.invite, visit.transaction, visit.flow, now: now)
  }

  /// The account as a guest: known here, kept elsewhere.
  private mutating func receive(_ stored: StoreReply.Stored, _ reply: StoreReply, now: Instant) {
    let record: Bytes? = if case .record(let record) = reply { record } else { nil }
    let snapshot = Snapshot(account: stored.account, version: stored.version, registration: record)
    let registration = registration(of: snapshot)
    accounts[stored.account.id] = AccountState(account: stored.account, version: stored.version, registration: registration, fence: nil)
    providers.join(stored.account.id, provider: stored.account.provider, now: now)
    learnProvider(of: stored.account.id)
  }

  /// A request about a call that is not here. TOKEN names the account; its other calls may be at home elsewhere.
  func elsewhere(_ request: Request, _ id: ServerTransactionID, _ flow: Flow) -> [Action]? {
    guard isRecording, let account = (try? URI(request.uri))?.unescapedUser.flatMap({ AccountID(token: $0) }) else { return nil }
    return [.elsewhere(account, request, id, flow)]
  }

  /// Nobody has the call.
  public mutating func nobodyHas(_ request: Request, _ id: ServerTransactionID) -> [Action] { refuse(request, id, 481) }
}
