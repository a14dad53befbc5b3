import Primitives
import RESP
import Store

/// Calls, the held slot, lines.
extension StoreScribe {
  func claimHeld(_ id: AccountID, _ call: CallID, _ merge: Bytes, _ until: Instant, _ home: Holder, _ now: Instant) -> Question {
    let arguments = [id.bytes, call.name, merge, until.endMilliseconds, Bytes(text: home), now.nowMilliseconds]
    return Question(Scripts.claimHeld, id.key, arguments)
  }

  func onCall(_ script: Script, _ id: AccountID, _ call: CallID, _ home: Holder, _ more: [Bytes]) -> Question {
    Question(script, id.key, [id.bytes, call.name, Bytes(text: home)] + more)
  }

  func onLine(_ script: Script, _ id: AccountID, _ device: DeviceID, _ line: Int, _ call: CallID, _ home: Holder) -> Question {
    Question(script, id.key, [call.name, Bytes(text: home), Bytes(text: device.text), Bytes(text: line)])
  }

  func saveCall(_ id: AccountID, _ call: SavedCall) -> Plan {
    guard call.record.count <= limits.recordBytes else { return .answer(.full) }
    return .ask(onCall(Scripts.saveCall, id, call.id, call.home, [sealed(call, of: id), Bytes(text: limits.callsPerAccount)]))
  }

  func adopt(_ id: AccountID, _ call: CallID, _ from: Holder, _ to: Holder) -> Question {
    Question(Scripts.adoptCall, id.key, [id.bytes, call.name, Bytes(text: from), Bytes(text: to)]) { value in
      Question.read(value, "adopted") { parts in
        guard let sealed = parts.first?.list?.first?.bytes else { return .adopted([]) }
        return opened(sealed, call, of: id).map { .adopted($0) }
      }
    }
  }

  func calls(_ id: AccountID) -> Question {
    Question(Scripts.calls, id.key, []) { value in savedCalls(value, id).map { .calls($0) } }
  }

  func savedCalls(_ value: RESPValue, _ id: AccountID) -> [SavedCall]? {
    guard let list = value.list else { return nil }
    var calls: [SavedCall] = []
    for entry in list {
      guard let parts = entry.list, parts.count == 3, let call = parts[0].call, let home = parts[1].holder,
        let record = parts[2].bytes.flatMap({ $0.isEmpty ? [] : opened($0, call, of: id) })
      else { return nil }
      calls.append(SavedCall(id: call, home: home, record: record))
    }
    return calls.sorted { $0.id < $1.id }
  }

  func sealed(_ call: SavedCall, of id: AccountID) -> Bytes {
    seal.seal(call.record, .call, of: id.bytes, name: call.id.description)
  }

  private func opened(_ sealed: Bytes, _ call: CallID, of id: AccountID) -> Bytes? {
    seal.open(sealed, .call, of: id.bytes, name: call.description)
  }
}

extension Whereabouts {
  /// owner, epoch, the held call, homes, lines
  static func read(_ value: RESPValue) -> StoreReply? {
    Question.read(value, "whereabouts") { parts in
      guard parts.count == 5, let homes = parts[3].list, let lines = parts[4].list else { return nil }
      let owner = parts[0].holder.flatMap { holder in parts[1].epoch.map { Fence(holder: holder, epoch: $0) } }
      let known = lines.compactMap { Line.read($0) }
      let calls = homes.compactMap { entry -> Call? in
        guard let call = entry.list?.first?.call, let home = entry.list?.last?.holder else { return nil }
        let lines = known.filter { $0.call == call }.map(\.line).sorted()
        return Call(id: call, home: home, isHeld: parts[2].call == call, lines: lines)
      }
      return .whereabouts(Whereabouts(owner: owner, calls: calls.sorted { $0.id < $1.id }))
    }
  }
}

extension Whereabouts.Line {
  /// The call, and `DEVICE,NUMBER`.
  fileprivate static func read(_ entry: RESPValue) -> (call: CallID, line: Whereabouts.Line)? {
    guard let call = entry.list?.first?.call, let words = entry.list?.last?.text?.split(separator: ","), words.count == 2,
      let device = DeviceID(String(words[0])), let number = Int(words[1])
    else { return nil }
    return (call, Whereabouts.Line(device: device, number: number))
  }
}
