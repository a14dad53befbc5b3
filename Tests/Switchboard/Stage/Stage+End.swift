import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

extension Stage {
  /// Lets the time run until nothing of any call can be left, then takes the account away too. What remains is a leak.
  mutating func finish() -> [String] {
    isWriting = isTelling
    tell("the end")
    (isStoreSlow, storeFate) = (false, .replies)
    (isChannelSlow, isChannelStubborn) = (false, false)
    everywhere { stage in
      stage.storeReplies()
      for push in stage.underWay { stage.pushEnded(push.device, .announced) }
    }
    registrar.mood = .open
    if isCluster { gather() }
    wait(.seconds(400))
    var leaks = everywhere { $0.leftOfCalls }.flatMap(\.self) + leftOfLegs
    for account in everywhere({ $0.board.accounts.values.filter { $0.fence != nil }.map(\.account) }).flatMap(\.self) {
      for device in account.devices { phone(name(device.id), .removeSetUp, account: account.id) }
    }
    wait(.seconds(150))
    leaks += everywhere { $0.leftOfAccounts }.flatMap(\.self)
    check()
    ledger.checkEnd()
    return leaks + ledger.breaches
  }

  mutating func check() {
    guard isCluster else { return ledger.check(board) }
    let former = node
    for name in nodes where isServing(name) {
      at(name)
      ledger.check(board)
    }
    at(former)
  }

  /// Who rang has heard how it ended, and who talked that it is over. What copies of one INVITE get cannot be told apart.
  private var leftOfLegs: [String] {
    let shared = Dictionary(grouping: legs.values, by: \.callID).filter { $0.value.count > 1 }
    return legs.filter { shared[$0.value.callID] == nil }.sorted { $0.key < $1.key }.compactMap { name, leg in
      let statuses = leg.responses.filter { (try? $0.cseq.method) == .invite }.map(\.status)
      if statuses.contains(180), !statuses.contains(where: { $0 >= 200 }) { return "call \(name) rings for ever" }
      let isOver = leg.isOver || leg.requests.contains { $0.method == .bye }
      return statuses.contains(200) && !isOver ? "call \(name) is forgotten" : nil
    }
  }

  /// Whoever is paused goes on, and what nobody has somebody takes.
  private mutating func gather() {
    for name in pausedNodes.sorted() { if isForgotten { kill(name) } else { goOn(name) } }
    // Once more for what is only then let go.
    for _ in 0..<2 {
      if let name = nodes.first { takeOver(by: name) }
      wait(.seconds(3))
    }
  }

  @discardableResult
  private mutating func everywhere<Result>(_ happen: (inout Stage) -> Result) -> [Result] {
    guard isCluster else { return [happen(&self)] }
    return nodes.map { name in
      at(name)
      return happen(&self)
    }
  }

  private var leftOfCalls: [String] {
    var left = Leftovers()
    left.note("calls", board.calls.count)
    left.note("calls of transactions", board.callOfTransaction.count)
    left.note("calls of dialogs", board.callOfDialog.count)
    left.note("calls of lines", board.callOfLine.count)
    left.note("ringing calls", board.ringing.count)
    left.note("calls of accounts", board.accounts.values.reduce(0) { $0 + $1.calls.count })
    left.note("steps of the store", board.steps.count)
    left.note("debts", board.debts.isEmpty ? 0 : 1)
    left.note("claims of lines", board.lineClaims.count)
    left.note("calls in doubt", board.inDoubt.count)
    left.note("visits", board.visits.count)
    left.note("requests that wait", board.backlog.count)
    left.note("outboxes", board.outboxes.count)
    left.note("set-ups", board.setUps.count)
    left.note("trials", board.accounts.values.count { $0.trial != nil })
    left.note("lines to remember", board.phones.isEmpty ? 0 : 1)
    left.note("server transactions", layer.serverCount)
    return left.lines
  }

  private var leftOfAccounts: [String] {
    var left = Leftovers()
    left.note("accounts", board.accounts.count)
    left.note("providers", board.providers.providers.count)
    left.note("deadlines", board.deadlines.count)
    left.note("client transactions", layer.clientCount)
    left.note("accounts in the store", store.accountCount)
    return left.lines
  }
}

/// What should be empty and is not.
private struct Leftovers {
  private(set) var lines: [String] = []

  mutating func note(_ what: String, _ count: Int) {
    if count > 0 { lines.append("\(count) \(what)") }
  }
}
