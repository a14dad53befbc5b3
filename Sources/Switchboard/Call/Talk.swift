import PhoneContract
import Primitives
import SIP
import Store

/// A call that was answered: one dialog with the provider, one line of one device.
struct Talk: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// 200 is out. `requests`: who is told that the ACK came; `ending`: why the call is over, but BYE waits for the ACK (RFC 3261 §15).
    case unconfirmed(requests: [PhoneRequestID], ending: EndReason?)
    case confirmed
    /// Only the word about the end is left, until then.
    case ended(until: Instant)
  }

  /// A re-INVITE whose 200 still waits for its ACK.
  struct Reinvite: Sendable, Equatable {
    let transaction: ServerTransactionID
    let number: UInt32

    static let most = 4
  }

  /// How long the end of a call can be read.
  static let epilogue = Contract.endedLifetime

  var dialog: Dialog
  let line: DeviceLine
  /// The session description that the provider sent last; nil where none has come yet.
  var heard: Bytes?
  /// The one that the phone sent last.
  var said: Bytes
  var phase: Phase
  var feed: StatusFeed
  var timer: SessionTimer
  /// Those that wait, the oldest first: an ACK may be overtaken by the next re-INVITE.
  var reinvites: [Reinvite] = []
  /// Our re-INVITE has no final response yet: theirs meets it (RFC 3261 §14.2).
  var offersRefresh = false
  /// Our BYE has no final response yet: it may be challenged, so the dialog is kept until then.
  var awaitsByeAnswer = false
  /// Our last request was challenged, and sent again with the answer; a second challenge is its end.
  var hasAnsweredChallenge = false
  /// It was refused as an old one, and sent again with a higher number.
  var hasLeapt = false
  /// The phone has read the end.
  var isRead = false
  /// What is left to do since another node had the call.
  var adoption: Adoption?

  init(dialog: Dialog, line: DeviceLine, offered: Bytes?, said: Bytes, timer: SessionTimer, request: PhoneRequestID) {
    self.dialog = dialog
    self.line = line
    self.heard = offered
    self.said = said
    self.timer = timer
    phase = .unconfirmed(requests: [request], ending: nil)
    feed = StatusFeed()
  }

  mutating func beginRequest() { (hasAnsweredChallenge, hasLeapt) = (false, false) }

  var isEnded: Bool { if case .ended = phase { true } else { false } }

  var nextDeadline: Instant? {
    if case .ended(let until) = phase { return min(until, feed.nextDeadline ?? .distantFuture) }
    return [feed.nextDeadline, timer.deadline, adoption?.deadline].compactMap(\.self).min()
  }

  mutating func requestGone(_ request: PhoneRequestID, now: Instant) {
    if case .unconfirmed(let requests, let ending) = phase {
      phase = .unconfirmed(requests: requests.filter { $0 != request }, ending: ending)
    }
    feed.gone(request, now: now)
  }
}

/// What happens in an answered call.
extension Call {
  // MARK: The phone

  mutating func status(_ request: PhoneRequestID, after: Int, until: Instant, now: Instant) -> [Action] {
    guard talk?.isRead == false else { return [.reply(request, .problem(.noCall))] }
    let actions = talk?.feed.read(request, after: after, until: until, now: now) ?? []
    guard talk?.isEnded == true, talk?.feed.isRead == true else { return translated(actions, now: now) }
    return translated(actions, now: now) + closeTalk() + finished()
  }

  /// The phone or the server ends the call. BYE waits for the ACK.
  mutating func hangUp(why: EndReason, now: Instant) -> [Action] {
    guard let talk, !talk.isEnded else { return [] }
    guard case .unconfirmed(let requests, let ending) = talk.phase else { return sayBye() + end(why, now: now) }
    self.talk?.phase = .unconfirmed(requests: [], ending: ending ?? why)
    return requests.map { .reply($0, .problem(.callEnded)) }
  }

  // MARK: The end

  mutating func end(_ why: EndReason, now: Instant) -> [Action] {
    guard let talk, !talk.isEnded else { return [] }
    self.talk?.phase = .ended(until: now + Talk.epilogue)
    let told = self.talk?.feed.publish(.ended(why), now: now) ?? []
    self.talk?.feed.stopMissing()
    return [.ended(talk.line), .note(.ended(id, why, after: now - began))] + translated(told, now: now)
  }

  mutating func talkDeadlineReached(now: Instant) -> [Action] {
    guard talk != nil else { return [] }
    let actions = translated(talk?.feed.deadlineReached(now: now) ?? [], now: now)
    if case .ended(let until) = talk?.phase { return actions + (until <= now ? expireTalk() : []) }
    return actions + refreshIfDue(now: now) + askAgainIfDue(now: now)
  }

  /// BYE, and the dialog stays for what comes back.
  mutating func sayBye() -> [Action] {
    talk?.awaitsByeAnswer = true
    talk?.beginRequest()
    return [.bye]
  }

  /// Our BYE has its final response, or never gets one.
  mutating func byeAnswered() -> [Action] {
    talk?.awaitsByeAnswer = false
    if talk?.isRead == true { talk = nil }
    return finished()
  }

  /// The end was read.
  private mutating func closeTalk() -> [Action] {
    let readers = talk?.feed.close() ?? []
    talk?.isRead = true
    if talk?.awaitsByeAnswer == false { talk = nil }
    return readers.map { .reply($0, .problem(.noCall)) }
  }

  /// Nobody came to read it.
  private mutating func expireTalk() -> [Action] {
    talk?.awaitsByeAnswer = false
    return closeTalk()
  }

  private mutating func translated(_ actions: [StatusFeed.Action], now: Instant) -> [Action] {
    var out: [Action] = []
    for action in actions {
      switch action {
      case .reply(let request, let reply): out.append(.reply(request, .status(reply)))
      case .lost: out += hangUp(why: .statusLost, now: now)
      }
    }
    return out
  }
}
