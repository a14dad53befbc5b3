import Core
import Primitives
import Store
import Switchboard

/// Of a call: what its home has said and done, and what the store has of it. Where the home is gone and the store is behind what it did,
/// since a fail-over has lost that or since the store did not answer then, the next home goes on from something that is over. No machine
/// can help that, and the rules do not hold for such a call; nor for one whose last word went to a provider out of reach from a node that
/// died, or into a connection that was dead.
struct Inheritance {
  /// Whose process speaks of the call.
  private(set) var home: (node: Int, life: Int)
  private var words: [Bytes: Int] = [:]
  private var last = 0
  /// The number of the word that was the last when the home did something that others notice.
  private var acted = 0
  private(set) var account: AccountID

  /// Of an end that is in the store as nothing.
  private static let nothing = Bytes()

  init(_ account: AccountID, home: (node: Int, life: Int)) {
    self.account = account
    self.home = home
  }

  /// - Parameter record: nil: the store shall forget it.
  mutating func said(_ record: Bytes?, by node: (node: Int, life: Int)) {
    home = node
    let word = record ?? Self.nothing
    guard words[word] != last || last == 0 else { return }
    last += 1
    words[word] = last
  }

  /// - Parameter isBlind: the store has not answered for some time: then what was said last counts, and not what it has.
  mutating func acts(having record: Bytes?, isBlind: Bool) { acted = max(acted, isBlind ? last : number(of: record)) }

  func isBehind(_ record: Bytes?) -> Bool { number(of: record) < acted }

  private func number(of record: Bytes?) -> Int { words[record ?? Self.nothing] ?? 0 }
}

extension World {
  // MARK: What homes say and do

  mutating func noteWord(_ command: StoreCommand, of index: Int) {
    switch command {
    case .saveCall(let account, let call, let record, _, _): say(account, call, record, index)
    case .removeCall(let account, let call, _): if inheritances[call] != nil { say(account, call, nil, index) }
    case .restore(let snapshot, _): for call in snapshot.calls { say(snapshot.account.id, call.id, call.record, index) }
    default: break
    }
  }

  private mutating func say(_ account: AccountID, _ call: CallID, _ record: Bytes?, _ index: Int) {
    if callNumbers[call] == nil, let number = record.flatMap({ legNumber(in: $0) }) { callNumbers[call] = number }
    let home = (index, nodes[index].life)
    forgetTwins(of: call)
    guard let known = inheritances[call], known.home != home else {
      inheritances[call, default: Inheritance(account, home: home)].said(record, by: home)
      return
    }
    // It had the call before, and the store has lost that another one has it, who cannot say so.
    if isUnspoken(call, known) { forget(call) }
  }

  private func isUnspoken(_ call: CallID, _ known: Inheritance) -> Bool {
    let home = nodes[known.home.node]
    let hearsStore = home.store.wire != nil && !network.isCut(.node(home.index), .redis)
    let maySpeak = home.isUp && home.life == known.home.life && home.core.mayAct(now: now) && hearsStore
    return !maySpeak && known.isBehind(record(of: call, known.account))
  }

  /// The other way of a forked INVITE goes on, since the store has lost the first one, whose home cannot say so.
  private mutating func forgetTwins(of call: CallID) {
    guard let number = callNumbers[call] else { return }
    let twins = inheritances.filter { $0.key != call && callNumbers[$0.key] == number }.sorted { $0.key < $1.key }
    for (other, known) in twins where isUnspoken(other, known) {
      forget(other)
    }
  }

  /// The INVITE is in it.
  private func legNumber(in record: Bytes) -> Int? {
    let mark = Array("Call-ID: call-".utf8)
    guard let start = record.indices.first(where: { record[$0...].starts(with: mark) }) else { return nil }
    return Int(record[(start + mark.count)...].prefix { (48...57).contains($0) }.text)
  }

  mutating func noteAct(_ call: CallID, of index: Int) {
    guard let known = inheritances[call], known.home == (index, nodes[index].life) else { return }
    let isBlind = nodes[index].store.wire == nil || now - nodes[index].store.lastReceived >= StoreLine.limit
    let record = record(of: call, known.account)
    inheritances[call]?.acts(having: record, isBlind: isBlind)
  }

  /// A final response of one of its calls.
  mutating func noteFinal(ofLeg number: Int, by index: Int) {
    legs[number].saidBy = index
    for call in inheritances.keys.sorted() where callNumbers[call] == number { noteAct(call, of: index) }
  }

  private func record(of call: CallID, _ account: AccountID) -> Bytes? {
    var store = redis.store
    guard case .calls(let calls) = store.perform(.calls(account), now: now) else { return nil }
    return calls.first { $0.id == call }?.record
  }

  // MARK: Who goes on with it

  /// Another process goes on with what the store has.
  mutating func noteAdoption(_ call: CallID, _ record: Bytes, to holder: Holder) {
    guard let known = inheritances[call], let node = indexOfNode[holder.node] else { return }
    guard known.home != (node, nodes[node].life) else { return }
    if known.isBehind(record) { return forget(call) }
    inheritances[call]?.said(record, by: (node, nodes[node].life))
  }

  /// Processes have ended, or the store has gone back: what only they knew is gone.
  mutating func forgetWhatNobodyKnows() {
    guard redis.primary != nil else { return }
    for (call, known) in inheritances.sorted(by: { $0.key < $1.key }) where !lives(known.home) {
      if known.isBehind(record(of: call, known.account)) { forget(call) }
    }
    for account in lastKnownByTheDead.sorted() {
      var store = redis.store
      if case .account(.none) = store.perform(.account(account), now: now) { lostSetUps.insert(account) }
    }
    lastKnownByTheDead = []
  }

  /// Its last word to a provider that it could not reach dies with it. So does one that is still under way, of a call that never was in
  /// the store: the next life has the INVITE, sent once more meanwhile, for a new one.
  mutating func forgetWhatNobodyHears(of index: Int) {
    let stored = Set(inheritances.keys.compactMap { callNumbers[$0] })
    for number in legs.indices where legs[number].saidBy == index && legs[number].state == .calling {
      let isCut = network.isCut(.node(index), .provider(legs[number].provider))
      if isCut || !stored.contains(number) { legs[number].isForgotten = true }
    }
  }

  private func lives(_ home: (node: Int, life: Int)) -> Bool {
    nodes[home.node].life == home.life && (nodes[home.node].isUp || nodes[home.node].state == .paused)
  }

  private mutating func forget(_ call: CallID) {
    inheritances[call] = nil
    guard let number = callNumbers[call], legs.indices.contains(number), !legs[number].isForgotten else { return }
    legs[number].isForgotten = true
    story.tell(now, Party.redis, "call \(number) is known to nobody as it was: the rules hold for it no more")
  }

  private func has(_ node: SimNode, _ phone: Phone) -> Bool { node.core.switchboard.device(phone.accountID, phone.device) != nil }

  /// Accounts that only this process knew of those that run, now that it ends.
  mutating func noteSetUps(of index: Int) {
    let others = nodes.filter { $0.index != index && ($0.isUp || $0.state == .paused) }
    for phone in phones where has(nodes[index], phone) && !others.contains(where: { has($0, phone) }) {
      lastKnownByTheDead.insert(phone.accountID)
    }
  }
}
