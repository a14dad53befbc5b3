import PhoneContract
import Primitives
import SIP
import Store
import Testing

@testable import Switchboard

/// Stories in which the node dies now and then and another one goes on with what was recorded: the same rules hold.
@Suite struct TakeoverStoryTests {
  @Test(arguments: 0..<4 as Range<UInt64>) func keepsTheRules(_ part: UInt64) throws {
    for seed in stride(from: part, to: 200, by: 4) {
      var story = Story(seed: seed)
      var random = SeededRandom(seed: seed)
      let breaches = try story.play(steps: 60) { stage in
        if Int.random(in: 0..<8, using: &random) == 0 { try stage.takeOver() }
      }
      #expect(breaches == [], "seed \(seed)")
      guard breaches.isEmpty else { return }
    }
  }
}

extension Stage {
  /// All that one process had is gone: requests of phones, requests of ours, what channels would have said. The calls are read from
  /// their records.
  mutating func takeOver() throws {
    guard !isStoreSlow, storeQueue.isEmpty else { return }
    for id in askers.keys {
      ledger.gone(id)
      goneRequests.insert(id)
    }
    for push in underWay { ledger.reported(push, .announced) }
    underWay = []
    owners = owners.filter { if case .registration = $0.value { true } else { false } }
    for (id, call) in board.calls.sorted(by: { $0.key < $1.key }) { try takeOver(id, call) }
    settle()
  }

  private mutating func takeOver(_ id: CallID, _ call: Call) throws {
    if let leg = try? call.invite.callID.text { openRequests[leg] = nil }
    for waiting in call.held?.waiting ?? [] { releaseLine(of: waiting, call) }
    for (transaction, owner) in board.callOfTransaction where owner == id {
      layer.forget(transaction)
      board.callOfTransaction[transaction] = nil
    }
    ledger.ended(call.transaction)
    let read = try Call(record: call.record)
    board.calls[id] = read
    let isOpen = read.held != nil || read.talk?.isAwaitingACK == true
    if isOpen {
      board.callOfTransaction[read.transaction] = id
      perform(try layer.adopt(invite: read.invite, last: nil, from: read.flow, now: now).1)
    }
    perform(board.withCall(id, now: now) { $0.adopted(now: now) })
  }

  /// Lines of requests that waited are in no record: freeing them is up to the store.
  private mutating func releaseLine(of waiting: HeldCall.Waiting, _ call: Call) {
    guard case .fetch(let line) = waiting.wish, call.held?.fetched[waiting.device] != line else { return }
    let command = StoreCommand.releaseLine(call.account, waiting.device, line: line.rawValue, call.id, home: board.holder)
    ledger.stored(command, store.perform(command, now: now))
  }
}

extension Talk {
  fileprivate var isAwaitingACK: Bool { if case .unconfirmed = phase { true } else { false } }
}
