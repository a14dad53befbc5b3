import PhoneContract
import Primitives
import SIP
import Store

@testable import Switchboard

extension Stage {
  /// Lets the time run until nothing of any call can be left, then takes the account away too. What remains is a leak.
  mutating func finish() -> [String] {
    isWriting = false
    isStoreSlow = false
    storeReplies()
    for push in underWay { pushEnded(push.device, .announced) }
    registrar.mood = .open
    wait(.seconds(400))
    var leaks = leftOfCalls
    for account in board.accounts.values.map(\.account) {
      for device in account.devices { phone(name(device.id), .removeSetUp, account: account.id) }
    }
    wait(.seconds(150))
    leaks += leftOfAccounts
    ledger.check(board)
    ledger.checkEnd()
    return leaks + ledger.breaches
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
