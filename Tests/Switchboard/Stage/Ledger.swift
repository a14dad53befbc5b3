import PhoneContract
import Primitives
import SIP
import Store
import Testing

@testable import Switchboard

/// The rules that hold in every story, checked as it goes on.
struct Ledger {
  private struct Line: Hashable {
    let device: DeviceID
    let line: Int
  }

  private var finals: [ServerTransactionID: (status: Int, node: Holder)] = [:]
  private var announcements: Set<Stage.Push> = []
  private var reports: [Stage.Push: AnnouncementOutcome] = [:]
  private var stops: Set<Stage.Push> = []
  private var acted: Set<Stage.Push> = []
  private var open: [PhoneRequestID: Stage.Push?] = [:]
  private var answered: Set<PhoneRequestID> = []
  private var held: [CallID: AccountID] = [:]
  private var lines: [Line: (call: CallID, account: AccountID)] = [:]
  /// Of these nobody hears what became of them.
  private var unheard: Set<Stage.Push> = []
  private var wakes: (at: Instant, count: Int) = (.zero, 0)
  private(set) var breaches: [String] = []

  private mutating func demand(_ holds: Bool, _ rule: String) {
    if !holds { breaches.append(rule) }
  }

  /// Time must go on.
  mutating func woken(at now: Instant) {
    wakes = wakes.at == now ? (now, wakes.count + 1) : (now, 1)
    precondition(wakes.count < 1000, "the same moment for ever")
  }

  /// The next home may say once more what the one before has said.
  mutating func responded(_ id: ServerTransactionID, _ status: Int, by node: Holder) {
    guard status >= 200 else { return demand(finals[id] == nil, "a provisional response after the final one") }
    demand(finals[id].map { $0.status == status && $0.node != node } ?? true, "a second final response")
    finals[id] = (status, node)
  }

  /// What comes under the name from now on is another request.
  mutating func ended(_ id: ServerTransactionID) { finals[id] = nil }

  // MARK: Announcements

  mutating func announced(_ push: Stage.Push) {
    demand(announcements.insert(push).inserted, "announced twice")
  }

  /// One that certainly did not leave may be made once more.
  mutating func reported(_ push: Stage.Push, _ outcome: AnnouncementOutcome) {
    reports[push] = outcome
    if outcome == .notSent { announcements.remove(push) }
  }

  /// Nobody will ever say what became of it.
  mutating func mayHaveReported(_ push: Stage.Push) { unheard.insert(push) }

  mutating func stopped(_ push: Stage.Push) {
    demand(reports[push] == .announced || unheard.contains(push), "a stop to a device that was never announced to")
    demand(!acted.contains(push), "a stop to the device that acted")
    demand(stops.insert(push).inserted, "stopped twice")
  }

  // MARK: Phones

  /// `acts`: what the device acts on, should this get a 2xx.
  mutating func asked(_ request: PhoneRequestID, acts: Stage.Push?) { open[request] = .some(acts) }

  mutating func gone(_ request: PhoneRequestID) {
    open[request] = nil
    answered.insert(request)
  }

  mutating func replied(_ request: PhoneRequestID, _ reply: PhoneReply, wasGone: Bool) {
    if !wasGone { demand(open[request] != nil && answered.insert(request).inserted, "a request answered twice") }
    if let act = open.removeValue(forKey: request) ?? nil, reply.isSuccess, reply != .kept {
      acted.insert(act)
      demand(!stops.contains(act), "a device acted that had got a stop")
    }
  }

  // MARK: Store

  /// The store has lost everything.
  mutating func forgotten() { (held, lines) = ([:], [:]) }

  mutating func stored(_ command: StoreCommand, _ reply: StoreReply) {
    switch (command, reply) {
    case (.claimHeld(let account, let call, _, _, _), .granted): held[call] = account
    case (.releaseHeld(_, let call, _), .done), (.endHeld(_, let call, _, _), .done), (.unclaimHeld(_, let call, _, _), .done):
      held[call] = nil
    case (.claimLine(let account, let device, let line, let call, _), .granted):
      lines[Line(device: device, line: line)] = (call, account)
    case (.releaseLine(_, let device, let line, let call, _), .done):
      let line = Line(device: device, line: line)
      if lines[line]?.call == call { lines[line] = nil }
    case (.removeAccount(let account, _, _), .done):
      held = held.filter { $0.value != account }
      lines = lines.filter { $0.value.account != account }
    default: break
    }
  }

  /// Whether the call on a line has it in the store too.
  mutating func check(_ board: Switchboard) {
    for (line, call) in board.callOfLine where board.calls[call]?.isAnswered == true {
      demand(lines[Line(device: line.device, line: line.line.rawValue)]?.call == call, "an answered call has lost its line")
    }
    for (account, call) in board.ringing {
      demand(board.calls[call]?.held != nil, "no call rings")
      demand(board.accounts[account]?.calls.contains(call) == true, "a call of no account")
    }
  }

  /// When all is said: nothing is left behind.
  mutating func checkEnd() {
    demand(open.isEmpty, "requests without an answer: \(open.keys.map(\.number).sorted())")
    demand(held.isEmpty, "\(held.count) held slots")
    demand(lines.isEmpty, "lines of calls \(lines.values.map(\.call.description).sorted())")
    demand(announcements.allSatisfy { reports[$0] != nil || unheard.contains($0) }, "announcements without an outcome")
  }
}
