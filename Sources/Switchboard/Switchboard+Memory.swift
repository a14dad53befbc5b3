import PhoneContract
import Primitives
import Store

/// What late requests hear, here and at the next home: the store has it in the place of a call that is over, one for each account, for
/// as long as the memory lasts.
extension Switchboard {
  mutating func remember(_ fate: LineMemory.Fate, _ line: DeviceLine, of account: AccountID, now: Instant) {
    wakeToForget(now: now)
    phones.note(fate, line, of: account, until: now + PhoneDesk.memory)
  }

  private mutating func wakeToForget(now: Instant) {
    if phones.isEmpty { deadlines.set(now + PhoneDesk.memory, for: .memory) }
  }

  /// In the place of a call that is over: what is remembered of its account's lines, or nothing.
  mutating func leaveMemory(of call: Call, now: Instant) -> [Action] {
    guard !call.linesToRemember.isEmpty, let memory = phones.memory(of: call.account) else {
      return [storing(.removeCall(call.account, call.id, home: holder), then: .owed(.removeCall(call.account, call.id, home: holder)))]
    }
    let former = phones.keep(call.id, of: call.account, until: memory.until)
    return saveMemory(call.account, call.id) + former.flatMap { pay(.removeCall(call.account, $0, home: holder)) }
  }

  mutating func saveMemory(_ account: AccountID, _ call: CallID) -> [Action] {
    guard let memory = phones.memory(of: account) else { return [] }
    return [storing(.saveCall(account, call, memory.record, home: holder), then: .owed(.memory(account, call)))]
  }

  /// A call's lines as its record tells of them, or those of calls before it.
  mutating func takeMemory(_ memory: LineMemory, _ call: CallID, of account: AccountID, now: Instant) {
    wakeToForget(now: now)
    var memory = memory
    memory.until = min(memory.until, now + PhoneDesk.memory)
    phones.take(memory, call, of: account)
  }

  mutating func takeMemory(of call: Call, now: Instant) {
    for (line, fate) in call.linesToRemember { remember(fate, line, of: call.account, now: now) }
  }

  mutating func forgetOld(now: Instant) -> [Action] {
    let old = phones.forgetOld(now: now)
    deadlines.set(phones.earliest, for: .memory)
    return old.flatMap { call, account in
      let removal = pay(.removeCall(account, call, home: holder))
      forgetGuest(account)
      return removal
    }
  }
}

extension Call {
  /// The lines that it was on, where it is over for them.
  var linesToRemember: [(DeviceLine, LineMemory.Fate)] {
    let ended = isAnswered ? nil : answeredOn
    return missedOn.map { ($0, .missed) } + (ended.map { [($0, .ended)] } ?? [])
  }
}
