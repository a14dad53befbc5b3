import Core
import Primitives
import SIP
import Store

/// The rules that no run may break, each looked at whenever something happens that could break it.
struct Ledger {
  var finals = OneFinalResponse()
  var winners = OneWinner()
  var pushes = OneAnnouncement()
  var leases = NothingWithoutLease()
  var calls = NoCallForgotten()
  var answers = NoMistakes()
  private var others: [String] = []

  mutating func note(_ breach: String) { others.append(breach) }

  mutating func stored(_ command: StoreCommand, _ reply: StoreReply, now: Instant) { leases.stored(command, reply, now: now) }

  var isBroken: Bool {
    !(finals.breaches.isEmpty && winners.breaches.isEmpty && pushes.breaches.isEmpty && leases.breaches.isEmpty && calls.breaches.isEmpty
      && answers.breaches.isEmpty && others.isEmpty)
  }

  /// Each with the name of its rule.
  var breaches: [String] {
    func named(_ name: String, _ breaches: [String]) -> [String] { breaches.map { "\(name): \($0)" } }
    return named(OneFinalResponse.name, finals.breaches) + named(OneWinner.name, winners.breaches)
      + named(OneAnnouncement.name, pushes.breaches) + named(NothingWithoutLease.name, leases.breaches)
      + named(NoCallForgotten.name, calls.breaches) + named(NoMistakes.name, answers.breaches) + others
  }
}

/// One final response for each INVITE: repeated, but never another one.
struct OneFinalResponse {
  static let name = "one final response"

  private struct Way: Hashable {
    let call: Int
    let branch: Bytes
  }

  private var finals: [Way: (status: Int, tag: Bytes)] = [:]
  private(set) var breaches: [String] = []

  mutating func got(_ response: Response, of call: Int, branch: Bytes) {
    let tag = ((try? response.toTag) ?? nil).map { Array($0) } ?? []
    let way = Way(call: call, branch: branch)
    guard let first = finals[way] else {
      finals[way] = (response.status, tag)
      return
    }
    if first.status != response.status {
      breaches.append("call \(call) got \(response.status) after \(first.status)")
    } else if first.tag != tag {
      breaches.append("call \(call) got \(response.status) twice, of two nodes that know nothing of each other")
    }
  }
}

/// One device takes a call or declines it.
struct OneWinner {
  static let name = "one winner"

  private var answerers: [Int: String] = [:]
  private var actors: [Int: String] = [:]
  private(set) var breaches: [String] = []

  /// At the provider.
  mutating func answered(_ call: Int, by device: String?) {
    guard let device else { return }
    if let actor = actors[call], actor != device { breaches.append("call \(call) is answered by \(device), but \(actor) had acted") }
    answerers[call] = device
  }

  /// The phone has heard that it has acted.
  mutating func acted(_ call: Int, _ device: String, isAnswer: Bool) {
    if let other = actors[call], other != device { breaches.append("\(device) acted on call \(call), and \(other) too") }
    if let answerer = answerers[call], answerer != device || !isAnswer {
      breaches.append("\(device) \(isAnswer ? "answered" : "declined") call \(call), which \(answerer) has answered")
    }
    actors[call] = device
  }
}

/// At most one announcement and one stop for each call and device, and none to one that has acted.
struct OneAnnouncement {
  static let name = "one announcement"

  private struct Told: Hashable {
    let call: Int
    let phone: Int
  }

  private var announced: Set<Told> = []
  private var stopped: Set<Told> = []
  private var acted: Set<Told> = []
  private(set) var breaches: [String] = []

  mutating func announced(_ call: Int, _ phone: Int) {
    let told = Told(call: call, phone: phone)
    if !announced.insert(told).inserted { breaches.append("call \(call) was announced twice to phone-\(phone + 1)") }
  }

  /// What has left cannot be held back.
  mutating func leaves(_ call: Int, _ phone: Int) {
    guard acted.contains(Told(call: call, phone: phone)) else { return }
    breaches.append("call \(call) was announced to phone-\(phone + 1), which had acted")
  }

  mutating func stopped(_ call: Int, _ phone: Int) {
    let told = Told(call: call, phone: phone)
    if !stopped.insert(told).inserted { breaches.append("call \(call) was stopped twice at phone-\(phone + 1)") }
    if acted.contains(told) { breaches.append("call \(call) was stopped at phone-\(phone + 1), which had acted") }
  }

  /// Neither a fetch nor a decline names its call: where the next one was announced it may have been about that.
  mutating func acted(_ call: Int, _ phone: Int) {
    guard !announced.contains(where: { $0.phone == phone && $0.call > call }) else { return }
    let told = Told(call: call, phone: phone)
    acted.insert(told)
    if stopped.contains(told) { breaches.append("phone-\(phone + 1) acted on call \(call) after it was stopped") }
  }
}

/// A node does not make mistakes of its own.
struct NoMistakes {
  static let name = "no mistakes"
  private(set) var breaches: [String] = []

  mutating func answered(_ status: Int) {
    if [400, 401, 405, 413, 500].contains(status) { breaches.append("a phone was answered \(status)") }
  }
}

/// An answered call lives until somebody hangs up.
struct NoCallForgotten {
  static let name = "no call forgotten"
  private(set) var breaches: [String] = []

  mutating func forgotten(_ call: Int, _ why: String) { breaches.append("call \(call): \(why)") }
}
