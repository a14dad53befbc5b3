import Primitives
import RESP
import Store

/// Accounts.
extension StoreScribe {
  func account(_ id: AccountID) -> Question {
    Question(Scripts.fields, id.key, [[UInt8(ascii: "a")], [UInt8(ascii: "v")]]) { value in
      guard let list = value.list, list.count == 2 else { return nil }
      if list == [.null, .null] { return .account(nil) }
      guard let account = account(list[0], id), let version = list[1].version else { return nil }
      return .account(.init(account: account, version: version))
    }
  }

  func accountOf(_ device: DeviceID) -> Question {
    Question(Scripts.accountOf, Layout.device(device.text), []) { value in
      if value.list != nil { return .unavailable }
      if value == .null { return .accountOf(nil) }
      return value.bytes.flatMap { AccountID(bytes: $0) }.map { .accountOf($0) }
    }
  }

  func write(_ account: Account, _ version: Version?, _ fence: Fence?) -> Plan {
    guard account.devices.count <= limits.devicesPerAccount else { return .answer(.full) }
    let arguments = [
      account.id.bytes, version.map { Bytes(text: $0.number) } ?? [], fence.map { Bytes(text: $0.holder) } ?? [],
      fence.map { Bytes(text: $0.epoch.number) } ?? [], sealed(account), account.deviceNames,
    ]
    return .ask(
      Question(Scripts.write, account.id.key, arguments) { value in
        if value.list?.first?.text == "keyInUse" {
          return value.list?.last?.text.flatMap { DeviceID($0) }.map { .keyInUse($0) }
        }
        return Question.read(value, "written") { $0.first?.version.map { .written($0) } }
      })
  }

  func remove(_ id: AccountID, _ version: Version, _ fence: Fence) -> Question {
    Question(Scripts.remove, id.key, [id.bytes, Bytes(text: version.number), Bytes(text: fence.holder), Bytes(text: fence.epoch.number)])
  }

  func saveRegistration(_ id: AccountID, _ record: Bytes, _ fence: Fence) -> Plan {
    guard record.count <= limits.recordBytes else { return .answer(.full) }
    let sealed = seal.seal(record, .registration, of: id.bytes)
    return .ask(Question(Scripts.saveRegistration, id.key, [id.bytes, Bytes(text: fence.holder), Bytes(text: fence.epoch.number), sealed]))
  }

  func registration(_ id: AccountID) -> Question {
    Question(Scripts.fields, id.key, [[UInt8(ascii: "r")]]) { value in
      guard let field = value.list?.first else { return nil }
      if field == .null { return .record(nil) }
      return field.bytes.flatMap { seal.open($0, .registration, of: id.bytes) }.map { .record($0) }
    }
  }

  // MARK: Owners

  func claimOwner(_ id: AccountID, _ holder: Holder, _ epoch: Epoch?) -> Question {
    Question(Scripts.claimOwner, id.key, [id.bytes, Bytes(text: holder), epoch.map { Bytes(text: $0.number) } ?? []]) { claim($0, id) }
  }

  func claimOwners(_ accounts: [StoreReply.ListedAccount], _ holder: Holder) -> Question {
    let asked = accounts.prefix(StoreCommand.claimsAtOnce)
    let arguments = asked.flatMap { [$0.id.key, $0.id.bytes, $0.epoch.map { Bytes(text: $0.number) } ?? []] }
    // Its key is the list of whoever claims: what all these accounts go to.
    return Question(Scripts.claimOwners, Layout.owned(holder), [Bytes(text: holder)] + arguments) { value in
      guard let list = value.list, list.count == asked.count else { return nil }
      // One that cannot be read keeps nobody from the others.
      return .claims(zip(list, asked).map { claim($0, $1.id) ?? .unavailable })
    }
  }

  private func claim(_ value: RESPValue, _ id: AccountID) -> StoreReply? {
    if value.list?.first?.text == "ownedBy" { return Question.read(value, "ownedBy") { Self.fence($0).map { .ownedBy($0) } } }
    return Question.read(value, "owned") { parts in
      guard parts.count == 5, let epoch = parts[0].epoch, let snapshot = snapshot(Array(parts.dropFirst()), id) else { return nil }
      return .owned(epoch, snapshot)
    }
  }

  private static func fence(_ parts: [RESPValue]) -> Fence? {
    guard parts.count == 2, let holder = parts[0].holder, let epoch = parts[1].epoch else { return nil }
    return Fence(holder: holder, epoch: epoch)
  }

  private func snapshot(_ parts: [RESPValue], _ id: AccountID) -> Snapshot? {
    guard let account = account(parts[0], id), let version = parts[1].version, let registrations = parts[2].list,
      let calls = savedCalls(parts[3], id)
    else { return nil }
    var registration: Bytes?
    if let sealed = registrations.first {
      guard let opened = sealed.bytes.flatMap({ seal.open($0, .registration, of: id.bytes) }) else { return nil }
      registration = opened
    }
    return Snapshot(account: account, version: version, registration: registration, calls: calls)
  }

  func listed(_ key: Bytes, _ last: AccountID?) -> Question {
    Question(Scripts.listed, key, [last?.bytes ?? [], Bytes(text: StoreCommand.pageSize)]) { value in
      guard let list = value.list, list.count == 2, let isMore = list[0].number, let page = list[1].list else { return nil }
      var accounts: [StoreReply.ListedAccount] = []
      for place in stride(from: 0, to: page.count - 1, by: 2) {
        guard let id = page[place].bytes.flatMap({ AccountID(bytes: $0) }) else { return nil }
        accounts.append(.init(id: id, epoch: page[place + 1].epoch))
      }
      return .accounts(accounts, next: isMore == 1 ? accounts.last?.id : nil)
    }
  }

  func restore(_ snapshot: Snapshot, _ fence: Fence) -> Plan {
    let account = snapshot.account
    let records = [snapshot.registration ?? []] + snapshot.calls.map(\.record)
    guard account.devices.count <= limits.devicesPerAccount, records.allSatisfy({ $0.count <= limits.recordBytes }) else {
      return .answer(.full)
    }
    let registration = snapshot.registration.map { seal.seal($0, .registration, of: account.id.bytes) }
    var arguments = [
      account.id.bytes, Bytes(text: fence.holder), Bytes(text: fence.epoch.number), sealed(account), account.deviceNames,
      Bytes(text: snapshot.version.number), Bytes(text: registration == nil ? "0" : "1"), registration ?? [],
      Bytes(text: limits.callsPerAccount),
    ]
    for call in snapshot.calls { arguments += [call.id.name, Bytes(text: call.home), sealed(call, of: account.id)] }
    return .ask(Question(Scripts.restore, account.id.key, arguments))
  }

  // MARK: Records

  private func sealed(_ account: Account) -> Bytes { seal.seal(account.record, .account, of: account.id.bytes) }

  private func account(_ value: RESPValue, _ id: AccountID) -> Account? {
    value.bytes.flatMap { seal.open($0, .account, of: id.bytes) }.flatMap { try? Account(record: $0) }
  }
}

extension Account {
  fileprivate var deviceNames: Bytes { Bytes(text: devices.map(\.id.text).joined(separator: ",")) }
}
