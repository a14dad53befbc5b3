public import PhoneContract
public import Primitives
public import Store

/// A set-up on its way from the request to the first outcome of the registration.
struct SetUpJob: Sendable, Equatable {
  let request: PhoneRequestID
  let body: SetUpBody
  let device: Device
  let asked: Account
  /// The provider has taken the credentials.
  var accepted = false
  /// And had never taken those of the account: whoever set it up had shown nothing. Those devices go, else anybody could wait on an
  /// account of somebody else's until its owner comes, and hear who calls him.
  var isFirstProof = false
  /// The phone has been told that its credentials do not match, before the provider spoke.
  var isAnswered = false
  /// The account is new to the store: nobody owns it yet.
  var isCreating = false
  var tries = 0

  /// Others may write in between, and answers be lost, but not for ever.
  static let mostTries = 4
  /// The phone hears something after this time, whatever the provider does.
  static let patience = Contract.setUpWait

  /// The same once more; nil: it has been tried often enough.
  var again: SetUpJob? {
    guard tries < Self.mostTries else { return nil }
    var again = self
    again.tries += 1
    return again
  }
}

extension Switchboard {
  /// `PUT /v1/setup`. The signature is by the key that `device` names, the registrar is one that may be contacted.
  public mutating func setUp(
    _ body: SetUpBody, _ id: PhoneRequestID, device: DeviceID, account: AccountID, now: Instant
  ) -> [Action] {
    guard !isPassive else { return [.reply(id, .problem(.unavailable(retryAfter: 1)))] }
    let job = SetUpJob(
      request: id, body: body, device: Device(body.device, id: device, now: now), asked: Account(body.account, id: account))
    return read(job)
  }

  mutating func read(_ job: SetUpJob) -> [Action] { [storing(.account(job.asked.id), then: .setUp(job))] }

  private mutating func readAgain(_ job: SetUpJob) -> [Action] { job.again.map { read($0) } ?? unavailable(job) }

  private func unavailable(_ job: SetUpJob) -> [Action] { [.reply(job.request, .problem(.unavailable(retryAfter: 1)))] }

  mutating func setUpRead(_ job: SetUpJob, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .account(let stored) = reply else { return unavailable(job) }
    guard let stored else { return create(job) }
    guard accounts[job.asked.id]?.fence != nil else { return claim(job, expecting: nil) }
    // Everybody has left, and the binding is being removed: whoever comes now begins anew.
    guard !stored.account.devices.isEmpty else { return write(job.asked.with(job.device), expecting: stored.version, job) }
    let named = job.body.takeSlotOf.flatMap { DeviceID($0) }
    var known = withLastActivity(stored.account)
    if job.isFirstProof { known.devices.removeAll { $0.id != job.device.id } }
    switch known.settingUp(job.device, asked: job.asked, accepted: job.accepted, takingSlotOf: named, policy: settings.slots) {
    case .accepted(let account, _): return write(account, expecting: stored.version, job)
    case .slotsFull: return [.reply(job.request, .problem(.slotsFull))]
    case .credentialsDiffer: return tryCredentials(job, now: now)
    }
  }

  private mutating func create(_ job: SetUpJob) -> [Action] {
    if let known = accounts[job.asked.id], !known.isRetired, let fence = known.fence {
      // The store has forgotten it, and with it the other devices.
      return restore(job.asked.id, by: fence) + readAgain(job)
    }
    var creating = job
    creating.isCreating = true
    return write(job.asked.with(job.device), expecting: nil, creating)
  }

  /// When each device was active last is known here before it is in the store.
  private func withLastActivity(_ stored: Account) -> Account {
    let known = accounts[stored.id]?.account.devices ?? []
    return known.reduce(stored) { account, device in account.touching(device.id, now: device.lastActive) ?? account }
  }

  private mutating func write(_ account: Account, expecting version: Version?, _ job: SetUpJob) -> [Action] {
    let fence = job.isCreating ? nil : accounts[account.id]?.writes
    return [writing(account, expecting: version, by: fence, then: .setUpWritten(job, account))]
  }

  mutating func setUpWritten(_ job: SetUpJob, _ account: Account, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .written(let version):
      guard !job.isCreating else { return claim(job, account, version) }
      return learn(account, version, now: now) + awaitOutcome(job, now: now)
    case .conflict, .unavailable:
      var again = job
      again.isCreating = false
      return readAgain(again)
    case .keyInUse: return [.reply(job.request, .problem(.keyInUse))]
    case .fenced: return unavailable(job) + lost(account.id)
    default: return unavailable(job)
    }
  }

  // MARK: The owner

  /// A new account has no owner; the node that wrote it keeps it.
  private mutating func claim(_ job: SetUpJob, _ account: Account, _ version: Version) -> [Action] {
    [storing(.claimOwner(account.id, holder, expecting: nil), then: .claimed(job, account, version))]
  }

  mutating func ownerClaimed(_ job: SetUpJob, _ account: Account, _ version: Version, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .owned(let epoch, _): return keep(account, version, Fence(holder: holder, epoch: epoch), job, now: now)
    // The answer to the first claim was lost.
    case .ownedBy(let fence) where fence.holder == holder: return keep(account, version, fence, job, now: now)
    case .unavailable: return job.again.map { claim($0, account, version) } ?? unavailable(job)
    default: return unavailable(job)
    }
  }

  private mutating func keep(
    _ account: Account, _ version: Version, _ fence: Fence, _ job: SetUpJob, now: Instant
  ) -> [Action] {
    let begun = beginOrGoOn(account, version, fence, now: now)
    return [.owns(account.id, fence)] + begun + awaitOutcome(job, now: now)
  }

  private mutating func beginOrGoOn(_ account: Account, _ version: Version, _ fence: Fence, now: Instant) -> [Action] {
    guard let known = accounts[account.id] else { return begin(account, version, fence, now: now) }
    guard !known.isRetired else {
      // Its former binding is still being removed.
      accounts[account.id]?.reborn = AccountState.Reborn(account: account, version: version, fence: fence)
      return []
    }
    guard let former = known.fence else { return own(Snapshot(account: account, version: version), fence, now: now) }
    if former.epoch < fence.epoch { accounts[account.id]?.fence = fence }
    return learn(account, version, now: now)
  }

  /// The account is there and not this node's: it is where nobody has it, or where this node has it and was not told.
  private mutating func claim(_ job: SetUpJob, expecting epoch: Epoch?) -> [Action] {
    [storing(.claimOwner(job.asked.id, holder, expecting: epoch), then: .setUpOwned(job))]
  }

  mutating func setUpOwned(_ job: SetUpJob, _ reply: StoreReply, now: Instant) -> [Action] {
    guard let again = job.again else { return unavailable(job) }
    switch reply {
    case .owned(let epoch, let snapshot):
      let fence = Fence(holder: holder, epoch: epoch)
      return [.owns(job.asked.id, fence)] + own(snapshot, fence, now: now) + read(again)
    case .ownedBy(let fence) where fence.holder == holder:
      return accounts[job.asked.id]?.fence == nil ? claim(again, expecting: fence.epoch) : read(again)
    case .unavailable: return claim(again, expecting: nil)
    case .noAccount: return read(again)
    default: return unavailable(job)
    }
  }

  // MARK: The outcome

  /// Answers at once where the registration has an outcome, else when it has one or the patience is over.
  private mutating func awaitOutcome(_ job: SetUpJob, now: Instant) -> [Action] {
    guard accounts[job.asked.id]?.isSettled == false else { return answerSetUp(job, now: now) }
    setUps[job.request] = job
    deadlines.set(now + SetUpJob.patience, for: .setUp(job.request))
    return []
  }

  private func answerSetUp(_ job: SetUpJob, now: Instant) -> [Action] {
    [.reply(job.request, .state(state(of: job.asked.id, for: job.device.id, now: now)))]
  }

  mutating func setUpWaited(_ request: PhoneRequestID, now: Instant) -> [Action] {
    guard let job = setUps.removeValue(forKey: request) else { return [] }
    if accounts[job.asked.id]?.trial?.request == request {
      accounts[job.asked.id]?.trial?.isAnswered = true
      return [.reply(request, .problem(.credentialsMismatch))]
    }
    return answerSetUp(job, now: now)
  }

  /// The registration of the account has an outcome: whoever waited for it is told.
  mutating func answerSetUps(of account: AccountID, now: Instant) -> [Action] {
    let waiting = setUps.values.filter { $0.asked.id == account && accounts[account]?.trial?.request != $0.request }
    return waiting.sorted { $0.request.number < $1.request.number }.flatMap { job in
      setUps[job.request] = nil
      deadlines.set(nil, for: .setUp(job.request))
      return answerSetUp(job, now: now)
    }
  }
}

extension Account {
  fileprivate func with(_ device: Device) -> Account {
    var account = self
    account.devices = [device]
    return account
  }
}
