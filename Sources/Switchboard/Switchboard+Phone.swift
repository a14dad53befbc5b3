public import PhoneContract
public import Primitives
public import Store

/// What comes from a phone. Its signature is checked and its nonce used up; `device` is one of the account's.
extension Switchboard {
  /// - Parameter askedAt: when the request came to the cluster: it is not about a call that began later.
  public mutating func phone(
    _ request: PhoneRequest, _ id: PhoneRequestID, device: DeviceID, account: AccountID, askedAt: Instant, now: Instant
  ) -> [Action] {
    // Its signature was good: it may be newer than what is known here.
    guard isRecording, accounts[account] != nil, accounts[account]?.account.device(device) == nil else {
      return phoneOfKnown(request, id, device: device, account: account, askedAt: askedAt, now: now)
    }
    return visit(Visit(account: account, reason: .phone(request, id, device, askedAt: askedAt)))
  }

  mutating func phoneOfKnown(
    _ request: PhoneRequest, _ id: PhoneRequestID, device: DeviceID, account: AccountID, askedAt: Instant, now: Instant
  ) -> [Action] {
    guard accounts[account]?.account.device(device) != nil else { return [.reply(id, .problem(.notSetUp))] }
    accounts[account]?.touch(device, now: now)
    switch request {
    case .setUpState: return [.reply(id, .state(state(of: account, for: device, now: now)))]
    case .setPush(let push): return setPush(push, id, device: device, account: account, now: now)
    case .removeSetUp: return remove(device, id, account: account, now: now)
    case .removeDevice(let other): return removeOther(other, id, account: account, now: now)
    case .fetch(let line, let stage):
      return fetch(id, DeviceLine(device: device, line: line), stage, account: account, askedAt: askedAt)
    case .decline: return decline(id, device: device, account: account, askedAt: askedAt, now: now)
    case .answer(let line, let sdp, let confirm):
      return answer(request, id, DeviceLine(device: device, line: line), account: account, askedAt: askedAt, now: now) {
        $0.answer(id, device: device, line: line, sdp: Array(sdp.utf8), confirm: confirm, now: now)
      }
    case .confirm(let line):
      return answer(request, id, DeviceLine(device: device, line: line), account: account, askedAt: askedAt, now: now) {
        $0.confirm(id, device: device, line: line, now: now)
      }
    case .status(let line, let after, let wait):
      return onLine(id, DeviceLine(device: device, line: line), askedAt: askedAt, now: now) {
        $0.status(id, after: after, until: now + .seconds(wait), now: now)
      }
    case .hangUp(let line): return hangUp(id, DeviceLine(device: device, line: line), askedAt: askedAt, now: now)
    case .offer, .answerOffer, .refuseOffer, .dtmf, .shown, .home, .probe, .setUp: return [.reply(id, .problem(.noSuchPath))]
    }
  }

  /// The connection of a request went away.
  public mutating func phoneGone(_ request: PhoneRequestID, device: DeviceID, account: AccountID, now: Instant) -> [Action] {
    setUps[request] = nil
    let concerned = (accounts[account]?.calls ?? []).filter { calls[$0]?.concerns(device) == true }
    return concerned.sorted().flatMap { id in withCall(id, now: now) { $0.requestGone(request, now: now) } }
  }

  /// What became of an announcement. Each `announce` wants exactly one such word, also after a `withdraw`: a call that has ended is
  /// kept until it is known who needs a stop.
  public mutating func announced(_ call: CallID, _ device: DeviceID, _ outcome: AnnouncementOutcome, now: Instant) -> [Action] {
    withCall(call, now: now) { $0.announcementEnded(device, outcome, now: now) }
  }

  // MARK: A call that rings

  /// The line first: a call that nobody could put anywhere is not fetched.
  private mutating func fetch(
    _ id: PhoneRequestID, _ line: DeviceLine, _ stage: FetchStage, account: AccountID, askedAt: Instant
  ) -> [Action] {
    guard let call = ringing(account, at: askedAt), calls[call]?.held != nil else { return [.reply(id, .problem(.nothingHeld))] }
    if let other = callOfLine[line], other != call, calls[other]?.isAnswered == true { return [.reply(id, .problem(.lineInUse))] }
    let claim = StoreCommand.claimLine(account, line.device, line: line.line.rawValue, call, home: holder)
    lineClaims[LineClaim(line: line, call: call), default: 0] += 1
    return [storing(claim, then: .fetch(account, call, id, line, stage))]
  }

  /// A claim of a line that nobody needs in the end gives it back: the call has ended, or the store gave no answer and may have done it.
  mutating func lineClaimed(
    _ account: AccountID, _ call: CallID, _ id: PhoneRequestID, _ line: DeviceLine, _ stage: FetchStage, _ reply: StoreReply, now: Instant
  ) -> [Action] {
    let claim = LineClaim(line: line, call: call)
    lineClaims[claim] = lineClaims[claim].flatMap { $0 > 1 ? $0 - 1 : nil }
    guard reply == .granted, let known = calls[call] else {
      return pay(owedRelease(line, of: call, account)) + [.reply(id, .problem(problem(reply)))]
    }
    if known.held != nil { phones.begun(line) }
    return withCall(call, now: now) { $0.fetch(id, device: line.device, line: line.line, stage: stage, now: now) }
  }

  private func problem(_ reply: StoreReply) -> Problem {
    switch reply {
    case .granted: Problem(.nothingHeld)
    case .busy: Problem(.lineInUse)
    default: .unavailable(retryAfter: 1)
    }
  }

  private mutating func answer(
    _ request: PhoneRequest, _ id: PhoneRequestID, _ line: DeviceLine, account: AccountID, askedAt: Instant, now: Instant,
    _ happen: (inout Call) -> [Call.Action]
  ) -> [Action] {
    if let call = ringing(account, at: askedAt), calls[call]?.held?.fetched[line.device] == line.line {
      return withCall(call, now: now, happen)
    }
    if isRecording, let call = answered(on: line, of: account, at: askedAt) ?? call(on: line, at: askedAt) {
      return answerAgain(id, line, call, request, now: now)
    }
    return [.reply(id, .problem(phones.hasMissed(line, now: now) ? .callEnded : .nothingHeld))]
  }

  /// The node that had taken the answer died before the phone heard of it: the phone, or a node for it, says it once more.
  private mutating func answerAgain(
    _ id: PhoneRequestID, _ line: DeviceLine, _ call: CallID, _ request: PhoneRequest, now: Instant
  ) -> [Action] {
    let sdp: Bytes? = if case .answer(_, let sdp, _) = request { Array(sdp.utf8) } else { nil }
    return withCall(call, now: now) { $0.answerRepeated(id, device: line.device, line: line.line, sdp: sdp) }
  }

  /// No request names its call. One that was kept waiting must not hit the next.
  private func ringing(_ account: AccountID, at moment: Instant) -> CallID? { ringing[account].flatMap { known($0, at: moment) } }

  /// Also where the store has yet to hear of it, and the line may still be that of the call before.
  private func answered(on line: DeviceLine, of account: AccountID, at moment: Instant) -> CallID? {
    let answered = accounts[account]?.calls.first { calls[$0].map { $0.isAnswered && $0.answeredOn == line } ?? false }
    return answered.flatMap { known($0, at: moment) }
  }

  private func call(on line: DeviceLine, at moment: Instant) -> CallID? { callOfLine[line].flatMap { known($0, at: moment) } }

  private func known(_ id: CallID, at moment: Instant) -> CallID? { calls[id].flatMap { $0.began <= moment ? id : nil } }

  private mutating func decline(_ id: PhoneRequestID, device: DeviceID, account: AccountID, askedAt: Instant, now: Instant) -> [Action] {
    guard let call = ringing(account, at: askedAt) else { return [.reply(id, .problem(.nothingHeld))] }
    return withCall(call, now: now) { $0.decline(id, device: device, now: now) }
  }

  // MARK: An answered call

  private mutating func onLine(
    _ id: PhoneRequestID, _ line: DeviceLine, askedAt: Instant, now: Instant, _ happen: (inout Call) -> [Call.Action]
  ) -> [Action] {
    guard let call = call(on: line, at: askedAt), isCertain(line) else { return [.reply(id, .problem(.noCall))] }
    return withCall(call, now: now, happen)
  }

  /// Hanging up a call that has just ended is no mistake.
  private mutating func hangUp(_ id: PhoneRequestID, _ line: DeviceLine, askedAt: Instant, now: Instant) -> [Action] {
    if let call = call(on: line, at: askedAt), calls[call]?.isAnswered == true {
      return withCall(call, now: now) { [.reply(id, .done)] + $0.hangUp(why: .hungUp, now: now) }
    }
    return [.reply(id, phones.hasEnded(line, now: now) && isCertain(line) ? .done : .problem(.noCall))]
  }

  /// Of a call that is over nothing is said while another one may be on its line, at a home that the store has not heard again yet.
  private func isCertain(_ line: DeviceLine) -> Bool {
    isSure || callOfLine[line].map { calls[$0]?.isAnswered == true } == true
  }

  // MARK: The set-up

  func state(of account: AccountID, for device: DeviceID, now: Instant) -> SetUpState {
    let known = accounts[account]
    let devices = known?.reborn?.account.devices ?? known?.account.devices ?? []
    return SetUpState(
      serverName: settings.serverName, device: device.text, slots: settings.slots.slots, answeredCalls: settings.answeredCalls,
      registration: known?.registrationState(now: now) ?? SetUpState.Registration(state: .registering, transport: nil),
      devices: devices.map { $0.state(isThis: $0.id == device) })
  }

  private mutating func setPush(
    _ push: PushBody, _ id: PhoneRequestID, device: DeviceID, account: AccountID, now: Instant
  ) -> [Action] {
    make(AccountChange(account: account, device: device, what: .push(PushAddress(push)), request: id), now: now)
  }

  private mutating func remove(_ device: DeviceID, _ id: PhoneRequestID, account: AccountID, now: Instant) -> [Action] {
    make(AccountChange(account: account, device: device, what: .removal, request: id), now: now)
  }

  private mutating func removeOther(_ text: String, _ id: PhoneRequestID, account: AccountID, now: Instant) -> [Action] {
    guard let device = DeviceID(text), accounts[account]?.account.device(device) != nil else {
      return [.reply(id, .problem(.noSuchDevice))]
    }
    return remove(device, id, account: account, now: now)
  }

  /// Its calls end: with BYE, or without it where others still ring.
  mutating func lose(_ devices: [DeviceID], account: AccountID, now: Instant) -> [Action] {
    devices.flatMap { device in
      // Set up again, it is another device: a call that still waits for its ACK to end is none of its own.
      for line in Line.allCases { callOfLine[DeviceLine(device: device, line: line)] = nil }
      return (accounts[account]?.calls ?? []).sorted().flatMap { call in withCall(call, now: now) { $0.removed(device, now: now) } }
    }
  }
}
