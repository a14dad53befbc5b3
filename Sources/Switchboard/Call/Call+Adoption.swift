import PhoneContract
import Primitives
import SIP
import Store

/// What a call that another node had has left to find out, or to say, in its dialog.
struct Adoption: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    /// The 200 was sent again.
    case awaitingACK
    /// A request of ours is open.
    case asking(Method)
    /// The other side could not take it.
    case pausing(until: Instant)
  }

  /// A ringing call's CANCEL may go to the node that is gone: it does not ring on for longer than this.
  static let longestRinging = Duration.seconds(60)
  static let pause = Duration.seconds(5)
  static let mostRefusals = 4

  var step = Step.awaitingACK
  var refusals = 0

  var deadline: Instant? { if case .pausing(let until) = step { until } else { nil } }
}

/// From now on this node is the call's home; the one before it is gone, with the requests of phones and the transactions that it had
/// open. Whoever calls `adopted` has given the INVITE's transaction to the transaction layer, and knows which call is on which line,
/// in which dialog, and the ringing one of its account. Where `slot` is still asked for, the store has to be asked again.
extension Call {
  /// - Parameter lines: those that the store has for it. Where it rings each was given to a device that has fetched it, or waits to: the
  ///   other node may not have come to record it.
  mutating func adopted(lines: [DeviceLine] = [], now: Instant) -> [Action] {
    let lines = take(lines)
    homes += 1
    // Clocks of nodes differ, and no phone asks about it before it began.
    began = min(began, now)
    ringOn(now: now)
    // The other node may not have come to say that it rings no more.
    let freed: [Action] = neverRang ? [.unclaimHeld] : held == nil && slot == nil ? [.releaseHeld] : []
    return freed + lines + announceAgain() + sayNoAgain() + stopTheUntold() + goOnTalking(now: now) + finished()
  }

  private mutating func take(_ lines: [DeviceLine]) -> [Action] {
    for line in lines where held != nil && held?.fetched[line.device] == nil { held?.fetched[line.device] = line.line }
    return lines.filter { !uses($0) }.map { .releaseLine($0.device, $0.line) }
  }

  /// What was about to be announced may have been: it is not announced again.
  private mutating func ringOn(now: Instant) {
    guard let ringing = held else { return }
    held?.protection = min(ringing.protection, now + Adoption.longestRinging)
    held?.rings = ringing.rings.mapValues { $0 == .intended ? .announced : $0 }
  }

  /// The final response may not have gone out. The stops that belong to it may have: none is sent twice.
  private func sayNoAgain() -> [Action] {
    refused.map { [.respond($0)] + missedOn.map { .releaseLine($0.device, $0.line) } } ?? []
  }

  /// No word about announcements comes any more: who may have got one gets its stop.
  private mutating func stopTheUntold() -> [Action] {
    guard let rest = aftermath else { return [] }
    aftermath = nil
    return rest.underWay.sorted().map { .stop($0, rest.why) }
  }

  private mutating func goOnTalking(now: Instant) -> [Action] {
    talk?.adopted(now: now)
    switch talk?.phase {
    case .unconfirmed:
      talk?.adoption = Adoption()
      return talk.map { [.accept(sdp: $0.said)] } ?? []
    case .confirmed:
      talk?.adoption = Adoption()
      return ask()
    case .ended: return talk?.awaitsByeAnswer == true ? sayBye() : []
    case nil: return []
    }
  }

  /// Nobody can say whether it is still this node's.
  mutating func mayHaveEnded() -> [Action] {
    guard talk?.phase == .confirmed, talk?.adoption == nil else { return [] }
    talk?.adoption = Adoption()
    return ask()
  }

  // MARK: Asking in the dialog

  /// Tells the other side where we are, or finds out whether it has our 200: without an ACK, which may have gone to the other node,
  /// only a request can tell.
  mutating func ask() -> [Action] {
    guard let talk else { return [] }
    let method = talk.question
    self.talk?.adoption?.step = .asking(method)
    self.talk?.beginRequest()
    return method == .options ? [.probe] : sendRefresh(talk.timer.fields(of: method))
  }

  mutating func askAgainIfDue(now: Instant) -> [Action] {
    guard talk?.isEnded == false, let due = talk?.adoption?.deadline, due <= now else { return [] }
    return ask()
  }

  /// The final response to what we asked.
  mutating func answered(_ response: Response, _ method: Method, now: Instant, random: inout SeededRandom) -> [Action] {
    switch response.status {
    case ..<300: isThere(response, method, now: now, random: &random)
    // RFC 3261 §12.2.1.2.
    case 408, 481: dialogIsGone(now: now)
    default: refused(response.status, method, now: now, random: &random)
    }
  }

  private mutating func isThere(_ response: Response, _ method: Method, now: Instant, random: inout SeededRandom) -> [Action] {
    let wasConfirmed = talk?.phase == .confirmed
    talk?.adoption = nil
    var actions = responded(response, to: method, now: now, random: &random)
    if !wasConfirmed {
      let session = ((try? response.sessionDescription) ?? nil).map { Array($0) }
      actions += acknowledged(answer: session, now: now)
    }
    // OPTIONS has told the other side nothing.
    guard method == .options, talk?.phase == .confirmed else { return actions }
    talk?.adoption = Adoption()
    return actions + ask()
  }

  /// Who refuses is there, but only a 2xx stands for an ACK. An address that is not taken now is offered again, a few times; after
  /// that the call lives on with the old one.
  private mutating func refused(_ status: Int, _ method: Method, now: Instant, random: inout SeededRandom) -> [Action] {
    guard let talk, let adoption = talk.adoption else { return [] }
    let isConfirmed = talk.phase == .confirmed
    self.talk?.offersRefresh = false
    if method == .update, !isConfirmed || status == 400 || status == 405 || status == 501 {
      self.talk?.timer.allowsUpdate = false
      return ask()
    }
    guard isConfirmed else { return dialogIsGone(now: now) }
    let refusals = adoption.refusals + 1
    guard refusals < Adoption.mostRefusals else {
      self.talk?.adoption = nil
      return []
    }
    // RFC 3261 §14.1: theirs met ours.
    let pause = status == 491 ? .milliseconds(Int64.random(in: 0...2000, using: &random)) : Adoption.pause
    self.talk?.adoption = Adoption(step: .pausing(until: now + pause), refusals: refusals)
    return []
  }

  mutating func dialogIsGone(now: Instant) -> [Action] {
    talk?.adoption = nil
    return talk?.phase == .confirmed ? sayBye() + end(.error, now: now) : acknowledgementMissing(now: now)
  }

  // MARK: The phone

  /// The device that answered asks again, since the node that it had asked is gone.
  ///
  /// - Parameter sdp: nil where it only confirmed an answer that was kept.
  mutating func answerRepeated(_ request: PhoneRequestID, device: DeviceID, line: Line, sdp: Bytes?) -> [Action] {
    guard let talk, talk.line == DeviceLine(device: device, line: line), sdp ?? talk.said == talk.said else {
      return [.reply(request, .problem(.nothingHeld))]
    }
    switch talk.phase {
    case .unconfirmed(let requests, nil) where requests.count < Talk.mostRequests:
      self.talk?.phase = .unconfirmed(requests: requests + [request], ending: nil)
      return []
    case .unconfirmed(_, nil): return [.reply(request, .problem(.unavailable(retryAfter: 5)))]
    case .confirmed: return [.reply(request, .answered(AnswerReply(sdp: offer == nil ? talk.heard?.text : nil)))]
    case .unconfirmed, .ended: return [.reply(request, .problem(.callEnded))]
    }
  }
}

extension Talk {
  /// Who wait for the ACK at once.
  static let mostRequests = 4

  /// What the other node had open is gone, and the phone is missed from now on: before the ACK it is not.
  fileprivate mutating func adopted(now: Instant) {
    dialog.adopted()
    timer.adopted(now: now)
    reinvites = []
    feed.mayLag = true
    offersRefresh = false
    beginRequest()
    switch phase {
    case .unconfirmed: feed.stopMissing()
    case .confirmed: feed.begin(now: now)
    case .ended: break
    }
  }

  /// Where the phone offered and the answer was in the ACK, only a re-INVITE brings it. UPDATE is best: it needs no ACK; without it
  /// the other side's address is refreshed by re-INVITE, which has to wait for the ACK to its former one (RFC 3261 §14.1).
  fileprivate var question: Method {
    if heard == nil { return .invite }
    if timer.allowsUpdate { return .update }
    return phase == .confirmed ? .invite : .options
  }
}
