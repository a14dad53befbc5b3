import PhoneContract
import Primitives
import SIP

/// What the provider says inside the dialog (RFC 3261 §12.2.2).
extension Call {
  mutating func requestReceived(_ request: Request, _ id: ServerTransactionID, now: Instant) -> [Action] {
    guard talk != nil, !isDialogOver else { return request.method == .ack ? [] : [.respondInDialog(id, request, 481, sdp: nil)] }
    // Another tag of the caller's names another dialog (RFC 3261 §12.2.2).
    guard let named = try? Dialog.ID(of: request), named == talk?.dialog.id else {
      return request.method == .ack ? [] : [.respondInDialog(id, request, 481, sdp: nil)]
    }
    guard let verdict = try? talk?.dialog.received(request) else { return [.respondInDialog(id, request, 400, sdp: nil)] }
    guard verdict == .accept else { return [.respondInDialog(id, request, 500, sdp: nil)] }
    guard request.method == .ack || request.unknownOptions.isEmpty else { return [.respondInDialog(id, request, 420, sdp: nil)] }
    switch request.method {
    case .ack: return ackReceived(request, now: now)
    case .bye: return byeReceived(request, id, now: now)
    case .invite: return offerReceived(request, id, now: now)
    case .update: return offerReceived(request, id, now: now)
    case .info, .options: return [.respondInDialog(id, request, 200, sdp: nil)]
    // What would extend the call is refused; the call goes on.
    case .refer: return [.respondInDialog(id, request, 603, sdp: nil)]
    case .notify: return [.respondInDialog(id, request, 489, sdp: nil)]
    case .message, .subscribe, .publish, .register: return [.respondInDialog(id, request, 405, sdp: nil)]
    case .prack, .cancel: return [.respondInDialog(id, request, 481, sdp: nil)]
    case .other: return [.respondInDialog(id, request, 501, sdp: nil)]
    }
  }

  private var isDialogOver: Bool { talk?.isEnded ?? true }

  // MARK: ACK

  /// An ACK has the number of the INVITE that it confirms: an old one that comes late is not taken for the one that is awaited.
  private mutating func ackReceived(_ ack: Request, now: Instant) -> [Action] {
    let number = try? ack.cseq.number
    if let reinvite = talk?.reinvites.first(where: { $0.number == number }) {
      talk?.reinvites.removeAll { $0 == reinvite }
      return [.acknowledged(reinvite.transaction)]
    }
    guard number == (try? invite.cseq.number) else { return [] }
    let answer = ((try? ack.sessionDescription) ?? nil).map { Array($0) }
    return acknowledged(answer: answer, now: now)
  }

  /// The ACK to our 200, with the answer where the phone made the offer (RFC 3261 §13.2.2.4).
  mutating func acknowledged(answer: Bytes?, now: Instant) -> [Action] {
    guard let talk, case .unconfirmed(let requests, let ending) = talk.phase else { return [] }
    let wasAdopted = talk.adoption?.step == .awaitingACK
    self.talk?.phase = .confirmed
    self.talk?.adoption = nil
    self.talk?.feed.begin(now: now)
    let phoneOffered = talk.heard == nil
    if phoneOffered { self.talk?.heard = answer }
    guard ending == nil, !phoneOffered || answer != nil else {
      let told = requests.map { Action.reply($0, .problem(.callEnded)) }
      return [.acknowledged(transaction)] + sayBye() + told + end(ending ?? .error, now: now)
    }
    let reply = PhoneReply.answered(AnswerReply(sdp: phoneOffered ? answer?.text : nil))
    // The ACK to a 200 that was sent again may be of one who has hung up since, at the home before.
    let question = wasAdopted ? mayHaveEnded() : []
    return [.acknowledged(transaction)] + requests.map { .reply($0, reply) } + [.note(.confirmed(id))] + question
  }

  /// 64·T1 without an ACK, to our first 200 or to a later one (RFC 3261 §13.3.1.4, §14.2).
  mutating func acknowledgementMissing(now: Instant) -> [Action] {
    guard let talk, !talk.isEnded else { return [] }
    var (waiting, ending): ([PhoneRequestID], EndReason?) = ([], nil)
    if case .unconfirmed(let requests, let why) = talk.phase { (waiting, ending) = (requests, why) }
    if talk.adoption?.step == .awaitingACK, ending == nil { return ask() }
    return sayBye() + [.note(.unacknowledged(id))] + waiting.map { .reply($0, .problem(.noACK)) } + end(ending ?? .error, now: now)
  }

  // MARK: BYE

  /// Taken in any state after our 200 (RFC 3261 §15.1.2): whoever hangs up need not have sent the ACK.
  private mutating func byeReceived(_ request: Request, _ id: ServerTransactionID, now: Instant) -> [Action] {
    let waiting: [PhoneRequestID] = if case .unconfirmed(let requests, _) = talk?.phase { requests } else { [] }
    let told = waiting.map { Action.reply($0, .problem(.callEnded)) }
    return [.respondInDialog(id, request, 200, sdp: nil), .acknowledged(transaction)] + told + end(.hungUp, now: now)
  }

  // MARK: Offers

  /// re-INVITE or UPDATE. The same session description, or none in an UPDATE, is a refresh, which the server answers alone.
  private mutating func offerReceived(_ request: Request, _ id: ServerTransactionID, now: Instant) -> [Action] {
    guard let talk else { return [] }
    guard !talk.offersRefresh else { return [.respondInDialog(id, request, 491, sdp: nil)] }
    let offer: Bytes?
    do {
      offer = try request.sessionDescription.map { Array($0) }
    } catch {
      return [.respondInDialog(id, request, error.status, sdp: nil)]
    }
    guard isRefresh(offer, request) else { return [.respondInDialog(id, request, 488, sdp: nil)] }
    if case .tooSmall = talk.timer.answer(to: request) { return [.respondInDialog(id, request, 422, sdp: nil)] }
    if request.method == .invite, let number = try? request.cseq.number {
      guard talk.reinvites.count < Talk.Reinvite.most else { return [.respondInDialog(id, request, 500, sdp: nil)] }
      self.talk?.reinvites.append(Talk.Reinvite(transaction: id, number: number))
    }
    self.talk?.dialog.refreshTarget(from: request)
    let hasBody = request.method == .invite || offer != nil
    return [.respondInDialog(id, request, 200, sdp: hasBody ? talk.said : nil)]
  }

  /// RFC 3264 §8: an unchanged `o=` line is an unchanged session.
  private func isRefresh(_ offer: Bytes?, _ request: Request) -> Bool {
    guard let offer else { return true }
    guard let heard = talk?.heard, let origin = Self.origin(of: heard) else { return false }
    return origin == Self.origin(of: offer)
  }

  private static func origin(of session: Bytes) -> Slice? {
    session.split { $0 == 13 || $0 == 10 }.first { $0.starts(with: [UInt8(ascii: "o"), UInt8(ascii: "=")]) }
  }

  // MARK: The session timer

  mutating func refreshIfDue(now: Instant) -> [Action] {
    guard let due = talk?.timer.deadline, due <= now else { return [] }
    switch talk?.timer.deadlineReached(now: now) {
    case .refresh(let refresh): return sendRefresh(refresh)
    case .end: return sayBye() + [.note(.expired(id))] + end(.sessionExpired, now: now)
    case .some(SessionTimer.Action.none), nil: return []
    }
  }

  mutating func sendRefresh(_ refresh: SessionTimer.Refresh) -> [Action] {
    talk?.offersRefresh = refresh.method == .invite
    talk?.beginRequest()
    return [.refresh(refresh)]
  }

  /// The final response to a request of ours inside the dialog.
  mutating func responded(_ response: Response, to method: Method, now: Instant, random: inout SeededRandom) -> [Action] {
    if !isDialogOver, talk?.adoption?.step == .asking(method) { return answered(response, method, now: now, random: &random) }
    guard talk != nil, !isDialogOver, method == .update || method == .invite else { return [] }
    let isAccepted = response.status < 300
    if isAccepted { talk?.dialog.refreshTarget(from: response) }
    let acknowledged = isAccepted && method == .invite ? (try? response.cseq.number).map { [Action.acknowledge($0)] } ?? [] : []
    return acknowledged + refreshAnswered(response, now: now, random: &random)
  }

  private mutating func refreshAnswered(_ response: Response, now: Instant, random: inout SeededRandom) -> [Action] {
    talk?.offersRefresh = false
    switch talk?.timer.answered(by: response, now: now, random: &random) {
    case .refresh(let refresh): return sendRefresh(refresh)
    case .end: return end(.error, now: now)
    case .some(SessionTimer.Action.none), nil: return []
    }
  }

  /// Nothing came back, not even from another address (RFC 3261 §12.2.1.2).
  mutating func unanswered(_ method: Method, now: Instant) -> [Action] {
    if method == .bye { return byeAnswered() }
    guard talk != nil, !isDialogOver else { return [] }
    if talk?.adoption?.step == .asking(method) { return dialogIsGone(now: now) }
    guard method == .update || method == .invite else { return [] }
    _ = talk?.timer.timedOut()
    return end(.error, now: now)
  }
}
