import PhoneContract
import Primitives
import SIP
import Store

/// What the phones do with a call that rings.
extension Call {
  /// The line is the device's own at this moment.
  mutating func fetch(_ request: PhoneRequestID, device: DeviceID, line: Line, stage: FetchStage, now: Instant) -> [Action] {
    guard let held else { return releaseUnused(device, line) + [.reply(request, .problem(.nothingHeld))] }
    if stage == .early { return [.reply(request, fetched(line))] + remember(device, line) }
    guard !held.isClaimed(besides: device, now: now) else {
      return wait(.init(request: request, device: device, wish: .fetch(line)))
    }
    return claim(request, device: device, line: line, now: now)
  }

  mutating func answer(_ request: PhoneRequestID, device: DeviceID, line: Line, sdp: Bytes, confirm: Bool, now: Instant) -> [Action] {
    guard let held, held.mayAnswer(device, line: line) else { return [.reply(request, .problem(.nothingHeld))] }
    guard confirm else {
      self.held?.kept[device] = sdp
      return [.reply(request, .kept)]
    }
    return accept(request, device: device, line: line, sdp: sdp, now: now)
  }

  mutating func confirm(_ request: PhoneRequestID, device: DeviceID, line: Line, now: Instant) -> [Action] {
    guard let sdp = held?.kept[device] else { return [.reply(request, .problem(.nothingHeld))] }
    return answer(request, device: device, line: line, sdp: sdp, confirm: true, now: now)
  }

  mutating func decline(_ request: PhoneRequestID, device: DeviceID, now: Instant) -> [Action] {
    guard let held else { return [.reply(request, .problem(.nothingHeld))] }
    guard !held.isClaimed(besides: device, now: now) else {
      return wait(.init(request: request, device: device, wish: .decline))
    }
    return refuse(603, why: .declinedElsewhere, actors: [device]) + [.reply(request, .done), .note(.declined(id))] + finished()
  }

  /// The device is no longer one of the account's.
  mutating func removed(_ device: DeviceID, now: Instant) -> [Action] {
    let hungUp = answeredOn?.device == device ? hangUp(why: .hungUp, now: now) : []
    return hungUp + leaveRinging(device, now: now) + finished()
  }

  /// With nobody left whom it could reach, the call is over; with somebody, it is the turn of those who waited for the device.
  private mutating func leaveRinging(_ device: DeviceID, now: Instant) -> [Action] {
    guard let ringing = held else { return [] }
    held?.waiting.removeAll { $0.device == device }
    held?.rings[device] = nil
    held?.kept[device] = nil
    let line = held?.fetched.removeValue(forKey: device)
    if ringing.claim?.device == device { held?.claim = nil }
    let withdrawn = ringing.rings[device] == .intended ? [Action.withdraw(device)] : []
    let dismissed = ringing.waiting.filter { $0.device == device }.flatMap { dismiss($0, Problem(.notSetUp)) }
    let released = line.map { [Action.releaseLine(device, $0)] } ?? []
    let rest = held?.isUnreachable == true ? refuse(480, why: .refused) : serveWaiting(now: now)
    return withdrawn + dismissed + released + rest
  }

  // MARK: Steps

  private mutating func claim(_ request: PhoneRequestID, device: DeviceID, line: Line, now: Instant) -> [Action] {
    held?.claim = HeldCall.Claim(device: device, until: now + HeldCall.claimTime)
    return remember(device, line) + [.reply(request, fetched(line)), .note(.fetched(id, after: now - began))]
  }

  /// A device that fetches again may have changed its mind about the line.
  private mutating func remember(_ device: DeviceID, _ line: Line) -> [Action] {
    let former = held?.fetched.updateValue(line, forKey: device)
    guard let former, former != line else { return [] }
    return [.releaseLine(device, former)]
  }

  private func fetched(_ line: Line) -> PhoneReply {
    .fetched(FetchReply(line: line, offer: offer?.text))
  }

  private mutating func accept(_ request: PhoneRequestID, device: DeviceID, line: Line, sdp: Bytes, now: Instant) -> [Action] {
    guard let held, let dialog = try? Dialog(accepting: invite, localTag: localTag) else {
      return [.reply(request, .problem(.internal))]
    }
    let line = DeviceLine(device: device, line: line)
    let timer = SessionTimer(allowsUpdate: invite.message.allow.contains(.update))
    talk = Talk(dialog: dialog, line: line, offered: offer, said: sdp, timer: timer, request: request)
    answeredOn = line
    self.held = nil
    let losers = held.waiting.flatMap { dismiss($0, Problem(.nothingHeld)) }
    let others = held.fetched.filter { $0.key != device }.sorted { $0.key < $1.key }
    let lines = others.map { Action.releaseLine($0.key, $0.value) }
    let stops = silence(held.rings, why: .answeredElsewhere, actors: [device])
    return [.accept(sdp: sdp), .releaseHeld, .note(.answered(id, after: now - began))] + losers + lines + stops
  }

  private mutating func wait(_ waiting: HeldCall.Waiting) -> [Action] {
    guard let held, held.waiting.count < HeldCall.mostWaiting else { return dismiss(waiting, .unavailable(retryAfter: 5)) }
    self.held?.waiting.append(waiting)
    return []
  }

  /// A request that waited in vain: the line that it has claimed is free again.
  func dismiss(_ waiting: HeldCall.Waiting, _ problem: Problem) -> [Action] {
    [.reply(waiting.request, .problem(problem))] + release(waiting)
  }

  private func release(_ waiting: HeldCall.Waiting) -> [Action] {
    guard case .fetch(let line) = waiting.wish else { return [] }
    return releaseUnused(waiting.device, line)
  }

  /// Not where the device's call, rung or answered, is on that line.
  private func releaseUnused(_ device: DeviceID, _ line: Line) -> [Action] {
    uses(DeviceLine(device: device, line: line)) ? [] : [.releaseLine(device, line)]
  }

  /// A phone's connection went away before its request was answered.
  mutating func requestGone(_ request: PhoneRequestID, now: Instant) -> [Action] {
    let gone = held?.waiting.filter { $0.request == request } ?? []
    held?.waiting.removeAll { $0.request == request }
    talk?.requestGone(request, now: now)
    return gone.flatMap { release($0) }
  }

  // MARK: Deadlines

  mutating func heldDeadlineReached(now: Instant) -> [Action] {
    guard let held else { return [] }
    if held.protection <= now { return refuse(480, why: .timedOut) + [.note(.timedOut(id))] }
    return repeatRinging(now: now) + serveWaiting(now: now)
  }

  private mutating func repeatRinging(now: Instant) -> [Action] {
    guard let held, held.nextRinging <= now else { return [] }
    self.held?.nextRinging = now + HeldCall.ringingRepeat
    return [.respond(180)]
  }

  /// The claim has lapsed: whoever waits has his turn, in the order of coming. The first who fetches makes the others wait again.
  mutating func serveWaiting(now: Instant) -> [Action] {
    var actions: [Action] = []
    while let next = held?.waiting.first, held?.isClaimed(besides: next.device, now: now) == false {
      held?.waiting.removeFirst()
      switch next.wish {
      case .fetch(let line): actions += claim(next.request, device: next.device, line: line, now: now)
      case .decline: actions += decline(next.request, device: next.device, now: now)
      }
    }
    return actions
  }
}
