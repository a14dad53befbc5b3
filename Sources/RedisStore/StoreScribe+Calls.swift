import Primitives
import RESP
import Store

/// Calls, the held slot, lines.
extension StoreScribe {
  func claimHeld(_ id: AccountID, _ call: CallID, _ merge: MergeKey, _ until: Instant, _ home: Holder, _ now: Instant) -> Question {
    let arguments = [
      id.bytes, call.name, merge.request, merge.branch, until.endMilliseconds, Bytes(text: home), now.nowMilliseconds,
    ]
    return Question(Scripts.claimHeld, id.key, arguments)
  }

  func onCall(_ script: Script, _ id: AccountID, _ call: CallID, _ home: Holder, _ more: [Bytes]) -> Question {
    Question(script, id.key, [id.bytes, call.name, Bytes(text: home)] + more)
  }

  func onLine(_ script: Script, _ id: AccountID, _ device: DeviceID, _ line: Int, _ call: CallID, _ home: Holder) -> Question {
    Question(script, id.key, [call.name, Bytes(text: home), Bytes(text: device.text), Bytes(text: line)])
  }

  /// With the fixed part, unless Redis is known to have it; where it has lost it, it is asked again with it.
  func saveCall(_ id: AccountID, _ call: SavedCall, fixed count: Int, _ known: FixedParts) -> Plan {
    guard call.record.count <= limits.recordBytes else { return .answer(.full) }
    let fixed = Array(call.record.prefix(count))
    let name = fixed.isEmpty ? [] : seal.name(of: fixed, in: id.bytes)
    var whole = saveCall(id, call, count, name, fixed.isEmpty ? [] : seal.seal(fixed, .fixedPart, of: id.bytes, name: call.id.description))
    whole.tells = fixed.isEmpty ? nil : (call.id, name)
    guard !fixed.isEmpty, known.has(name, of: call.id) else { return .ask(whole) }
    var rest = saveCall(id, call, count, name, [])
    rest.whole = whole.words
    return .ask(rest)
  }

  private func saveCall(_ id: AccountID, _ call: SavedCall, _ count: Int, _ name: Bytes, _ fixed: Bytes) -> Question {
    let rest = SavedCall(id: call.id, home: call.home, record: Array(call.record.dropFirst(count)))
    return onCall(Scripts.saveCall, id, call.id, call.home, [sealed(rest, of: id), Bytes(text: limits.callsPerAccount), name, fixed])
  }

  func adopt(_ id: AccountID, _ call: CallID, _ from: Holder, _ to: Holder) -> Question {
    Question(Scripts.adoptCall, id.key, [id.bytes, call.name, Bytes(text: from), Bytes(text: to)]) { value in
      Question.read(value, "adopted") { parts in
        guard let sealed = parts.first?.list, sealed.count == 2 else { return .adopted([]) }
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
      guard let parts = entry.list, parts.count == 4, let call = parts[0].call, let home = parts[1].holder,
        let record = opened(Array(parts.dropFirst(2)), call, of: id)
      else { return nil }
      calls.append(SavedCall(id: call, home: home, record: record))
    }
    return calls.sorted { $0.id < $1.id }
  }

  func sealed(_ call: SavedCall, of id: AccountID) -> Bytes {
    seal.seal(call.record, .call, of: id.bytes, name: call.id.description)
  }

  /// What changes, and the fixed part; either may be empty.
  private func opened(_ parts: [RESPValue], _ call: CallID, of id: AccountID) -> Bytes? {
    guard let rest = parts.first?.bytes, let fixed = parts.last?.bytes else { return nil }
    let opened = rest.isEmpty ? [] : seal.open(rest, .call, of: id.bytes, name: call.description)
    guard !fixed.isEmpty else { return opened }
    let sealed = Array(fixed.dropFirst(Seal.nameLength))
    return opened.flatMap { rest in seal.open(sealed, .fixedPart, of: id.bytes, name: call.description).map { $0 + rest } }
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
