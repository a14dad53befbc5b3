import PhoneContract
public import Primitives
import SIP
public import Store

/// Accounts and calls that come from other nodes, and go to them.
extension Switchboard {
  // MARK: This node

  /// From now on this node acts as this holder. What it still has of a former life it has to ask for like everybody else.
  public mutating func stoodUp(_ holder: Holder, now: Instant) -> [Action] {
    if isRecording { formerLife = formerLife ?? self.holder } else { processBegan(as: holder, now: now) }
    self.holder = holder
    isPassive = false
    said = [:]
    // Until the store has said whose they are, nothing is said in their name: to the store they are still the former life's.
    inDoubt = Set(calls.keys)
    return (settling.mayTakeUp(now: now) ? takeUp(now: now) : []) + catchUp(now: now)
  }

  private mutating func processBegan(as holder: Holder, now: Instant) {
    settling.processBegan(beside: living.subtracting([holder]), now: now)
    deadlines.set(now + Settling.look, for: .settling)
    deadlines.set(now + Settling.longestUnheard, for: .unheard)
  }

  /// A store that has forgotten everything hears first of those who went on meanwhile.
  mutating func takeUp(now: Instant) -> [Action] {
    guard !isPassive, let former = formerLife else { return [] }
    formerLife = nil
    // Who has rung says so before who waits for a slot.
    let waits = { [calls] (id: CallID) in calls[id]?.slot == nil ? 0 : 1 }
    let moved = inDoubt.sorted { (waits($0), $0) < (waits($1), $1) }.flatMap { move($0, from: former) }
    return resume() + sayEnds(now: now) + moved + moveMemory(from: former)
  }

  private mutating func moveMemory(from former: Holder) -> [Action] {
    phones.keptCalls.map { call, account in
      storing(.adoptCall(account, call, from: former, to: holder), then: .owed(.memory(account, call)))
    }
  }

  public mutating func lives(_ holders: [Holder], now: Instant) {
    let former = Dictionary(living.map { ($0.node, $0.incarnation) }, uniquingKeysWith: max)
    let returned = holders.filter { $0 != holder && $0.incarnation > former[$0.node] ?? dead[$0.node] ?? 0 }
    settling.returned(returned, now: now)
    living = Set(holders)
  }

  public mutating func died(_ holder: Holder) {
    dead[holder.node] = max(dead[holder.node] ?? 0, holder.incarnation)
    settling.died(holder)
    // Its next life has the same calls.
    if !living.contains(where: { $0.node == holder.node }) { heirs.remove(holder.node) }
  }

  func isAlive(_ holder: Holder) -> Bool { living.contains(holder) && dead[holder.node].map { $0 < holder.incarnation } ?? true }

  // MARK: Accounts

  /// This node is the account's owner: it registers anew, and is the home of its calls that have none.
  public mutating func own(_ snapshot: Snapshot, _ fence: Fence, now: Instant) -> [Action] {
    let account = snapshot.account
    let (calls, isContested) = accounts[account.id].map { ($0.calls, $0.isContested) } ?? ([], false)
    let registration = registration(of: snapshot)
    accounts[account.id] = AccountState(account: account, version: snapshot.version, registration: registration, fence: fence)
    accounts[account.id]?.calls = calls
    providers.join(account.id, provider: account.provider, now: now)
    learnProvider(of: account.id)
    let taken =
      [.note(.taken(account.id))] + beginAsNextOwner(of: account.id, isContested: isContested, now: now)
      + adoptCalls(of: account.id, from: nil)
    // Its last device had left, and the owner before could not finish.
    return taken + (account.devices.isEmpty ? retire(account.id, now: now) : takeTurn(account.id, now: now))
  }

  /// It registers when its turn comes; the same REGISTER removes what the owner before may have left.
  mutating func beginAsNextOwner(of id: AccountID, isContested: Bool, now: Instant) -> [Action] {
    guard let settings = accounts[id].map({ registrationSettings(of: $0.account) }) else { return [] }
    accounts[id]?.registration.takenOver(settings: settings, isContested: isContested, now: now)
    accounts[id]?.next = .resume
    return saveRegistration(id)
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
    forgetGuest(id)
    return paced + [.note(.givenAway(id))] + waiting.map { .reply($0, .problem(.unavailable(retryAfter: 1))) }
  }

  /// A guest without a call is nobody's business here.
  mutating func forgetGuest(_ id: AccountID) {
    guard let known = accounts[id], known.fence == nil, known.suspended == nil, known.parted == nil, known.calls.isEmpty,
      !phones.keepsAny(of: id)
    else { return }
    accounts[id] = nil
    providers.leave(id, provider: known.account.provider)
  }

  /// Lets the account go to another node: not while a phone waits for its set-up, a call rings, or a REGISTER is open, nor while the store,
  /// which has just come back, may have lost it.
  public mutating func handOver(_ id: AccountID, _ fence: Fence, now: Instant) -> [Action] {
    guard let known = accounts[id], known.fence == fence, !known.isRetired, known.trial == nil, settling.isSettled,
      !known.registration.isBusy,
      ringing[id] == nil,
      !setUps.values.contains(where: { $0.asked.id == id })
    else { return [.kept(id)] }
    return saveRegistration(id) + [storing(.releaseOwner(id, fence), then: .released(id, fence))]
  }

  /// Fenced: it was let go by a command whose answer was lost. This node may have it again by now.
  mutating func ownerReleased(_ id: AccountID, _ fence: Fence, _ reply: StoreReply, now: Instant) -> [Action] {
    guard isHeard(.releaseOwner(id, fence), reply, now: now) else { return [] }
    guard accounts[id]?.fence.map({ $0 == fence }) ?? true else { return [.kept(id)] }
    part(from: id, fence, now: now)
    return [.handedOver(id)]
  }

  mutating func part(from id: AccountID, _ fence: Fence, now: Instant) {
    accounts[id]?.parted = fence
    deadlines.set(now + Self.parting, for: .parting(id))
  }

  /// The next owner finds it at its next look, or is told; but nodes may come and go meanwhile.
  private static let parting = Duration.seconds(60)

  mutating func hasParted(_ id: AccountID) {
    accounts[id]?.parted = nil
    forgetGuest(id)
  }
}
