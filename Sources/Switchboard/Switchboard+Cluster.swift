import PhoneContract
public import Primitives
import SIP
public import Store

/// Accounts and calls that come from other nodes, and go to them.
extension Switchboard {
  // MARK: This node

  /// From now on this node acts as this holder. What it still has of a former life it has to ask for like everybody else.
  public mutating func stoodUp(_ holder: Holder, now: Instant) -> [Action] {
    let former = self.holder
    self.holder = holder
    return resume()
      + calls.values.sorted { $0.id < $1.id }.map { call in
        storing(.adoptCall(call.account, call.id, from: former, to: holder), then: .callWritten(call.id))
      }
  }

  public mutating func lives(_ holders: [Holder]) { living = Set(holders) }

  // MARK: Accounts

  /// This node is the account's owner: it registers anew, and is the home of its calls that have none.
  public mutating func own(_ snapshot: Snapshot, _ fence: Fence, now: Instant) -> [Action] {
    let account = snapshot.account
    let calls = accounts[account.id]?.calls ?? []
    var registration = registration(of: snapshot)
    registration.takenOver(contactAddresses: settings.contacts.mapValues { Array($0.text.utf8) }, now: now)
    accounts[account.id] = AccountState(account: account, version: snapshot.version, registration: registration, fence: fence)
    accounts[account.id]?.calls = calls
    accounts[account.id]?.next = .resume
    providers.join(account.id, provider: account.provider, now: now)
    learnProvider(of: account.id)
    let adoptions = snapshot.calls.flatMap { adopt($0, of: account.id) }
    return [.note(.taken(account.id))] + adoptions + takeTurn(account.id, now: now)
  }

  mutating func registration(of snapshot: Snapshot) -> Registration {
    let credentials = snapshot.account.credentials.compactMap(\.digest)
    let read = snapshot.registration.flatMap {
      try? Registration(record: $0, credentials: credentials, random: SeededRandom(from: &random))
    }
    return read ?? newRegistration(of: snapshot.account)
  }

  /// Calls come from the server that has the binding, before DNS has told us of any.
  mutating func learnProvider(of id: AccountID) {
    if let address = accounts[id]?.registration.binding?.target.address.ip { providers.learn([address], of: id) }
  }

  /// Another node owns the account, or will. Calls that are at home here stay.
  public mutating func disown(_ id: AccountID, now: Instant) -> [Action] {
    guard let known = accounts[id], known.fence != nil else { return [] }
    deadlines.set(nil, for: .registration(id))
    let paced = withPacing(known.account.provider, now: now) { $0.withdraw(id, now: now) }
    let waiting = setUps.values.filter { $0.asked.id == id }.map(\.request).sorted { $0.number < $1.number }
    for request in waiting {
      setUps[request] = nil
      deadlines.set(nil, for: .setUp(request))
    }
    accounts[id]?.fence = nil
    accounts[id]?.trial = nil
    if known.calls.isEmpty { forgetGuest(id) }
    return paced + [.note(.givenAway(id))] + waiting.map { .reply($0, .problem(.unavailable(retryAfter: 1))) }
  }

  /// A guest without a call is nobody's business here.
  mutating func forgetGuest(_ id: AccountID) {
    guard let known = accounts[id], known.fence == nil, known.suspended == nil, known.calls.isEmpty else { return }
    accounts[id] = nil
    providers.leave(id, provider: known.account.provider)
  }

  /// Lets the account go to another node: not while a phone waits for its set-up, a call rings, or a REGISTER is open.
  public mutating func handOver(_ id: AccountID, _ fence: Fence, now: Instant) -> [Action] {
    guard let known = accounts[id], known.fence == fence, !known.isRetired, known.trial == nil, !known.registration.isBusy,
      ringing[id] == nil,
      !setUps.values.contains(where: { $0.asked.id == id })
    else { return [.kept(id)] }
    return saveRegistration(id) + [storing(.releaseOwner(id, fence), then: .released(id))]
  }

  mutating func ownerReleased(_ id: AccountID, _ reply: StoreReply, now: Instant) -> [Action] {
    reply == .unavailable ? [.kept(id)] : [.handedOver(id)]
  }

  // MARK: Calls

  /// The calls of an account that this node owns, whose home has died.
  public mutating func adoptCalls(of id: AccountID, from node: NodeID) -> [Action] {
    accounts[id] == nil ? [] : [storing(.calls(id), then: .orphans(id, from: node))]
  }

  mutating func orphansRead(_ id: AccountID, _ node: NodeID, _ reply: StoreReply) -> [Action] {
    guard case .calls(let saved) = reply else { return [] }
    return saved.filter { $0.home.node == node }.flatMap { adopt($0, of: id) }
  }

  private mutating func adopt(_ saved: SavedCall, of id: AccountID) -> [Action] {
    guard calls[saved.id] == nil, !living.contains(saved.home) || saved.home == holder else { return [] }
    return [storing(.adoptCall(id, saved.id, from: saved.home, to: holder), then: .adopted(id, saved.id))]
  }

  mutating func callAdopted(_ account: AccountID, _ id: CallID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .adopted(let record) = reply, calls[id] == nil, accounts[account] != nil else { return [] }
    // Claimed and never begun: nobody was told, and the caller tries again.
    guard let call = try? Call(record: record), !call.isOver else { return bury(account, id) }
    calls[id] = call
    accounts[account]?.calls.insert(id)
    index(call)
    let last = call.held == nil ? nil : response(to: call, 180, sdp: nil)
    let transaction: [Action] = call.isOpen ? [.adopt(call.invite, last: last, call.flow)] : []
    return transaction + [.note(.adopted(id))] + withCall(id, now: now) { $0.adopted(now: now) }
  }

  private mutating func bury(_ account: AccountID, _ id: CallID) -> [Action] {
    [storing(.releaseHeld(account, id, home: holder), then: .nothing), storing(.removeCall(account, id, home: holder), then: .nothing)]
  }

  private mutating func index(_ call: Call) {
    callOfTransaction[call.transaction] = call.id
    if call.held != nil { ringing[call.account] = call.id }
    guard let line = call.answeredOn, call.talk != nil, let callID = try? call.invite.callID else { return }
    callOfDialog[DialogKey(callID: Array(callID), localTag: call.localTag)] = call.id
    // Of a call that is over only the word about its end is left: it does not hide another one.
    if call.isAnswered || callOfLine[line] == nil { callOfLine[line] = call.id }
  }
}

extension Call {
  /// Whether the INVITE still waits for something: its final response, or the ACK.
  fileprivate var isOpen: Bool {
    if case .unconfirmed = talk?.phase { return true }
    return held != nil
  }
}
