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
  var tries = 0

  /// Others may write in between, but not for ever.
  static let mostTries = 4
  /// The phone hears something after this time, whatever the provider does.
  static let patience = Contract.setUpWait
}

extension Switchboard {
  /// `PUT /v1/setup`. The signature is by the key that `device` names, the registrar is one that may be contacted.
  public mutating func setUp(
    _ body: SetUpBody, _ id: PhoneRequestID, device: DeviceID, account: AccountID, now: Instant
  ) -> [Action] {
    let job = SetUpJob(
      request: id, body: body, device: Device(body.device, id: device, now: now), asked: Account(body.account, id: account))
    return read(job)
  }

  mutating func read(_ job: SetUpJob) -> [Action] { [storing(.account(job.asked.id), then: .setUp(job))] }

  mutating func setUpRead(_ job: SetUpJob, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .account(let stored) = reply else { return [.reply(job.request, .problem(.unavailable(retryAfter: 1)))] }
    guard let stored else {
      var account = job.asked
      account.devices = [job.device]
      return write(account, expecting: nil, lost: [], job)
    }
    let named = job.body.takeSlotOf.flatMap { DeviceID($0) }
    var known = withLastActivity(stored.account)
    let strangers = job.isFirstProof ? known.devices.map(\.id).filter { $0 != job.device.id } : []
    known.devices.removeAll { strangers.contains($0.id) }
    switch known.settingUp(job.device, asked: job.asked, accepted: job.accepted, takingSlotOf: named, policy: settings.slots) {
    case .accepted(let account, let lost): return write(account, expecting: stored.version, lost: strangers + lost, job)
    case .slotsFull: return [.reply(job.request, .problem(.slotsFull))]
    case .credentialsDiffer: return tryCredentials(job, now: now)
    }
  }

  /// When each device was active last is known here before it is in the store.
  private func withLastActivity(_ stored: Account) -> Account {
    let known = accounts[stored.id]?.account.devices ?? []
    return known.reduce(stored) { account, device in account.touching(device.id, now: device.lastActive) ?? account }
  }

  private mutating func write(_ account: Account, expecting version: Version?, lost: [DeviceID], _ job: SetUpJob) -> [Action] {
    [storing(.writeAccount(account, expecting: version, by: accounts[account.id]?.writes), then: .setUpWritten(job, account, lost: lost))]
  }

  mutating func setUpWritten(_ job: SetUpJob, _ account: Account, lost: [DeviceID], _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .written(let version):
      let ended = lose(lost, account: account.id, now: now)
      guard accounts[account.id]?.writes != nil else {
        return ended + [storing(.claimOwner(account.id, holder, expecting: nil), then: .claimed(job, account, version))]
      }
      return ended + adopt(account, version, now: now) + awaitOutcome(job, now: now)
    case .conflict where job.tries < SetUpJob.mostTries:
      var again = job
      again.tries += 1
      return read(again)
    case .keyInUse: return [.reply(job.request, .problem(.keyInUse))]
    default: return [.reply(job.request, .problem(.unavailable(retryAfter: 1)))]
    }
  }

  /// A new account has no owner; the node that wrote it keeps it.
  mutating func ownerClaimed(_ job: SetUpJob, _ account: Account, _ version: Version, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .owned(let epoch, _) = reply else { return [.reply(job.request, .problem(.unavailable(retryAfter: 1)))] }
    let fence = Fence(holder: holder, epoch: epoch)
    let begun = accounts[account.id] == nil ? begin(account, version, fence, now: now) : beginLater(account, version, fence)
    return [.owns(account.id, fence)] + begun + awaitOutcome(job, now: now)
  }

  /// Its former binding is still being removed.
  private mutating func beginLater(_ account: Account, _ version: Version, _ fence: Fence) -> [Action] {
    accounts[account.id]?.reborn = AccountState.Reborn(account: account, version: version, fence: fence)
    return []
  }

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

  // MARK: Other writes

  mutating func accountWritten(
    _ account: Account, lost: [DeviceID], _ id: PhoneRequestID, _ answer: PhoneReply, _ reply: StoreReply, now: Instant
  ) -> [Action] {
    guard case .written(let version) = reply else { return [.reply(id, .problem(.unavailable(retryAfter: 1)))] }
    let ended = lose(lost, account: account.id, now: now)
    accounts[account.id]?.account = account
    accounts[account.id]?.version = version
    return ended + [.reply(id, answer)]
  }

  mutating func accountRemoved(_ account: AccountID, _ id: PhoneRequestID, _ reply: StoreReply, now: Instant) -> [Action] {
    guard reply == .done else { return [.reply(id, .problem(.unavailable(retryAfter: 1)))] }
    let (ended, left) = (loseAll(of: account, now: now), retire(account, now: now))
    return ended + [.reply(id, .done)] + left
  }

  /// The account is no longer in the store.
  mutating func emptied(_ account: AccountID, now: Instant) -> [Action] {
    let ended = loseAll(of: account, now: now)
    return ended + retire(account, now: now)
  }

  private mutating func loseAll(of account: AccountID, now: Instant) -> [Action] {
    lose(accounts[account]?.account.devices.map(\.id) ?? [], account: account, now: now)
  }
}
