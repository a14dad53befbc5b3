import Primitives

/// How a try ends.
extension Registration {
  /// 4xx, 6xx and what makes no sense: the provider said no, and is asked again ever more slowly. 494 too: security agreements
  /// (RFC 3329) are not spoken here, and only its own slow pause keeps this from being a loop.
  mutating func rejected(_ response: Response, _ attempt: Attempt, _ now: Instant) -> [Action] {
    if let end = endWithoutBinding(attempt, .undecided, now) { return end }
    refusals += 1
    let isFinal = response.status == 494
    let pause = isFinal ? RegistrationTimes.afterRefusals(.max) : RegistrationTimes.afterRefusals(refusals)
    let until = now + (response.retryAfter.map { random.retryPause($0) } ?? random.jittered(pause, share: 0.2))
    return settle(attempt, RegistrationStatus(state: .rejected, retryAt: until), until: until, now)
  }

  /// Wrong credentials, or none that fit: told to the app, and retried slowly.
  mutating func credentialsNeeded(_ demands: [RegistrationStatus.Demand], _ attempt: Attempt, _ now: Instant) -> [Action] {
    if let end = endWithoutBinding(attempt, .refused, now) { return end }
    let until = now + random.jittered(RegistrationTimes.credentials, share: 0.2)
    var attempt = attempt
    attempt.sessions = []
    return settle(attempt, RegistrationStatus(state: .credentialsNeeded, demands: demands, retryAt: until), until: until, now)
  }

  /// No server answered, or none could.
  mutating func unreachable(_ attempt: Attempt, _ now: Instant) -> [Action] {
    if let end = endWithoutBinding(attempt, .undecided, now) { return end }
    outages += 1
    let pause = random.jittered(RegistrationTimes.afterOutages(outages), share: 0.3)
    let until = now + (attempt.retryAfter.map { random.retryPause($0) } ?? pause)
    return settle(attempt, RegistrationStatus(state: .unreachable, retryAt: until), until: until, now)
  }

  /// The end of a removal, which is not tried again: what could not be removed runs out. The end of a trial, after which everything
  /// is as before. nil for an ordinary try.
  private mutating func endWithoutBinding(_ attempt: Attempt, _ outcome: TrialOutcome, _ now: Instant) -> [Action]? {
    switch attempt.purpose {
    case .register: return nil
    case .remove: return finishRemoval()
    case .trial:
      return concludeTrial(attempt, outcome) + settle(attempt, status, until: attempt.resumeAt ?? now, now)
    }
  }

  /// Nothing where the trial was replaced by another one meanwhile.
  mutating func concludeTrial(_ attempt: Attempt, _ outcome: TrialOutcome) -> [Action] {
    guard case .trial(let tried) = attempt.purpose, tried == trial else { return [] }
    if outcome == .accepted { (credentials, settings.username) = (tried.credentials, tried.username) }
    trial = nil
    return [.trial(outcome)]
  }

  /// Rests until the next try, or begins what had to wait for this one.
  mutating func settle(_ attempt: Attempt, _ new: RegistrationStatus, until: Instant, _ now: Instant) -> [Action] {
    if !attempt.purpose.isTrial { sessions = attempt.sessions }
    // Said of settings that are no longer those: only the next try counts.
    let new = isRenewalWanted ? status : new
    phase = .resting(until: isRenewalWanted ? now : until)
    isRenewalWanted = false
    let changed: [Action] = new == status ? [] : [.changed(new)]
    status = new
    if isRemovalWanted { return changed + begin(.remove, now) }
    return changed + (trial.map { begin(.trial($0), now) } ?? [])
  }

  mutating func finishRemoval() -> [Action] {
    let undecided: [Action] = trial == nil ? [] : [.trial(.undecided)]
    phase = .removed
    (credentials, sessions, trial, binding) = ([], [], nil, nil)
    return undecided + [.removed]
  }
}
