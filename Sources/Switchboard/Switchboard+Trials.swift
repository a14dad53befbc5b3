import PhoneContract
import Primitives
import SIP
import Store

/// Credentials that are not the account's: the provider decides.
extension Switchboard {
  /// One trial at a time that somebody waits for.
  mutating func tryCredentials(_ job: SetUpJob, now: Instant) -> [Action] {
    guard let known = accounts[job.asked.id], known.fence != nil, known.trial?.isAnswered != false, !known.isRetired else {
      return [.reply(job.request, .problem(.tooManyRequests(retryAfter: 5)))]
    }
    if let pause = known.trials.pause(now: now) ?? trials.pause(now: now) {
      return [.reply(job.request, .problem(.tooManyRequests(retryAfter: Int(pause.components.seconds) + 1)))]
    }
    accounts[job.asked.id]?.trials.begin(now: now)
    trials.begin(now: now)
    // The end of an earlier trial that nobody waits for any more is not the end of this one.
    let begun = withRegistration(job.asked.id, now: now) {
      $0.replaceCredentials(
        job.asked.credentials.compactMap(\.digest), username: Array((job.asked.authUser ?? job.asked.user).utf8), now: now)
    }
    accounts[job.asked.id]?.trial = job
    setUps[job.request] = job
    deadlines.set(now + SetUpJob.patience, for: .setUp(job.request))
    return begun
  }

  mutating func trialEnded(_ id: AccountID, _ outcome: Registration.TrialOutcome, now: Instant) -> [Action] {
    guard var job = accounts[id]?.trial, let isProven = accounts[id]?.isProven else { return [] }
    accounts[id]?.trial = nil
    setUps[job.request] = nil
    deadlines.set(nil, for: .setUp(job.request))
    guard outcome == .accepted else { return job.isAnswered ? [] : [.reply(job.request, .problem(.credentialsMismatch))] }
    job.accepted = true
    job.isFirstProof = !isProven
    return job.isAnswered ? [storing(.account(id), then: .acceptedLate(job))] : read(job)
  }

  /// The provider took the credentials when the phone had been told already: the account has them from now on, the device it has not.
  /// Where nobody is left who has shown that the account is his it is given up; the device that has will come again.
  mutating func acceptedLate(_ job: SetUpJob, _ reply: StoreReply, now: Instant) -> [Action] {
    guard case .account(let stored?) = reply else { return reply == .unavailable ? acceptedLateAgain(job) : [] }
    guard let fence = accounts[job.asked.id]?.fence else { return [] }
    var account = stored.account
    if job.isFirstProof { account.devices = [] }
    (account.credentials, account.authUser) = (job.asked.credentials, job.asked.authUser)
    return [writing(account, expecting: stored.version, by: fence, then: .acceptedLateWritten(job, account, by: fence))]
  }

  mutating func acceptedLateWritten(_ job: SetUpJob, _ account: Account, by fence: Fence, _ reply: StoreReply, now: Instant) -> [Action] {
    switch reply {
    case .written(let version): learn(account, version, now: now)
    case .conflict, .unavailable: acceptedLateAgain(job)
    case .fenced: lost(account.id, by: fence)
    default: []
    }
  }

  private mutating func acceptedLateAgain(_ job: SetUpJob) -> [Action] {
    job.again.map { [storing(.account(job.asked.id), then: .acceptedLate($0))] } ?? []
  }
}
