import Primitives
import Store
import Testing

/// Who is there, and who owns what.
extension StoreUnderTest {
  func join(_ node: String, _ address: String = "10.0.0.1:7443", at now: Instant = .zero) async throws -> Holder {
    guard case .joined(let holder) = try await perform(.joinCluster(try #require(NodeID(node)), peerAddress: address), now) else {
      throw Unexpected()
    }
    return holder
  }

  func claim(_ id: AccountID, _ holder: Holder, expecting epoch: Epoch? = nil) async throws -> (epoch: Epoch, snapshot: Snapshot) {
    guard case .owned(let epoch, let snapshot) = try await perform(.claimOwner(id, holder, expecting: epoch), .zero) else {
      throw Unexpected()
    }
    return (epoch, snapshot)
  }

  func members(at now: Instant) async throws -> [Member] {
    guard case .members(let members) = try await perform(.members, now) else { throw Unexpected() }
    return members
  }

  /// The moments are seconds apart: a store may count leases by a clock of its own that goes on between two commands.
  func aLeaseEnds() async throws {
    let one = try await join("a", "10.0.0.1:7443")
    let two = try await join("b", "10.0.0.2:7443", at: .ms(1000))
    let both = try await members(at: .ms(1000))
    #expect(both.map(\.holder) == [one, two])
    #expect(both.map(\.peerAddress) == ["10.0.0.1:7443", "10.0.0.2:7443"])
    #expect(both.allSatisfy { $0.remaining > .milliseconds(1000) && $0.remaining <= Member.lease })
    try await expect(.renewLease(two), at: .ms(2000), .renewed)
    #expect(try await members(at: .ms(4000)).map(\.holder) == [two])
    try await expect(.renewLease(one), at: .ms(4000), .leaseLost)
    try await expect(.renewLease(two), at: .ms(4000), .renewed)
    try await expect(.leaveCluster(two), at: .ms(4000), .done)
    try await expect(.renewLease(two), at: .ms(4000), .leaseLost)
    #expect(try await members(at: .ms(4000)).isEmpty)
  }

  func aNodeHasOneLife() async throws {
    let first = try await join("a", "10.0.0.1:7443")
    let second = try await join("a", "10.0.0.9:7443")
    #expect(second.incarnation > first.incarnation)
    try await expect(.renewLease(first), .leaseLost)
    try await expect(.revokeLease(first), .done)
    try await expect(.leaveCluster(first), .done)
    try await expect(.renewLease(second), .renewed)
    #expect(try await members(at: .zero).map(\.peerAddress) == ["10.0.0.9:7443"])
    try await expect(.revokeLease(second), .done)
    try await expect(.renewLease(second), .leaseLost)
    #expect(try await join("a").incarnation > second.incarnation)
  }

  func anAccountHasOneOwner() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await expect(.claimOwner(id, one, expecting: nil), .noAccount)
    let version = try await write(.sample(1))
    let first = try await claim(id, one)
    #expect(first.snapshot == Snapshot(account: try .sample(1), version: version))
    let owner = Fence(holder: one, epoch: first.epoch)
    try await expect(.claimOwner(id, two, expecting: nil), .ownedBy(owner))
    try await expect(.saveRegistration(id, [7], by: owner), .done)
    try await expect(.saveCall(id, .sample(5), [8], home: one), .done)
    let second = try await claim(id, two, expecting: first.epoch)
    #expect(second.epoch.number == first.epoch.number + 1)
    #expect(second.snapshot.registration == [7])
    #expect(second.snapshot.calls == [SavedCall(id: .sample(5), home: one, record: [8])])
    try await expect(.claimOwner(id, one, expecting: first.epoch), .ownedBy(Fence(holder: two, epoch: second.epoch)))
    try await expect(.releaseOwner(id, owner), .fenced)
  }

  func whoIsBehindIsFenced() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    let account = try Account.sample(1)
    let version = try await write(account)
    let before = Fence(holder: one, epoch: try await claim(id, one).epoch)
    let after = Fence(holder: two, epoch: try await claim(id, two, expecting: before.epoch).epoch)
    for stale in [before, Fence(holder: one, epoch: after.epoch)] {
      try await expect(.writeAccount(account, expecting: version, by: stale), .fenced)
      try await expect(.removeAccount(id, expecting: version, by: stale), .fenced)
      try await expect(.saveRegistration(id, [1], by: stale), .fenced)
      try await expect(.restore(Snapshot(account: account, version: version), by: stale), .fenced)
    }
    try await expect(.writeAccount(account, expecting: version, by: nil), .fenced)
    try await expect(.saveRegistration(id, [2], by: after), .done)
    try await expect(.registration(id), .record([2]))
    // A claim that the store lost in a fail-over is known again by the first write.
    let ahead = Fence(holder: one, epoch: Epoch(number: after.epoch.number + 1))
    try await expect(.saveRegistration(id, [3], by: ahead), .done)
    try await expect(.saveRegistration(id, [4], by: after), .fenced)
    try await expect(.claimOwner(id, two, expecting: after.epoch), .ownedBy(ahead))
  }

  func anAccountIsReleased() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await write(.sample(1))
    let first = Fence(holder: one, epoch: try await claim(id, one).epoch)
    try await expect(.releaseOwner(id, first), .done)
    try await expect(.releaseOwner(id, first), .fenced)
    try await expect(.saveRegistration(id, [1], by: first), .fenced)
    try await expect(.whereabouts(id), .whereabouts(.init(owner: nil, calls: [])))
    #expect(try await claim(id, two).epoch.number == first.epoch.number + 1)
    try await expect(.releaseOwner(try .sample(9), first), .done)
  }

  func ownersAreListed() async throws {
    let (one, two) = (try Holder.sample("a"), try Holder.sample("b"))
    let ids = try (1...4).map { try AccountID.sample($0) }
    for number in UInt8(1)...4 { try await write(.sample(number)) }
    var epochs: [Epoch] = []
    for (id, holder) in [(ids[0], one), (ids[1], two), (ids[2], one)] { epochs.append(try await claim(id, holder).epoch) }
    func list(_ node: NodeID?, after: AccountID? = nil, _ places: [Int], location: SourceLocation = #_sourceLocation) async throws {
      let listed = places.map { StoreReply.ListedAccount(id: ids[$0], epoch: $0 < 3 ? epochs[$0] : nil) }
      try await expect(.accountsOwned(by: node, after: after), .accounts(listed, next: nil), location: location)
    }
    try await list(one.node, [0, 2])
    try await list(one.node, after: ids[0], [2])
    try await list(two.node, [1])
    try await list(nil, [3])
    try await expect(.releaseOwner(ids[0], Fence(holder: one, epoch: epochs[0])), .done)
    _ = try await claim(ids[2], try .sample("b", 2), expecting: epochs[2])
    epochs[2] = Epoch(number: epochs[2].number + 1)
    try await list(one.node, [])
    try await list(two.node, [1, 2])
    try await list(nil, [0, 3])
    guard case .account(let stored?) = try await perform(.account(ids[1]), .zero) else { throw Unexpected() }
    try await expect(.removeAccount(ids[1], expecting: stored.version, by: Fence(holder: two, epoch: epochs[1])), .done)
    try await list(two.node, [2])
  }

  func listsComeInPages() async throws {
    let holder = try Holder.sample("a")
    var ids: [AccountID] = []
    for number in 0..<(StoreCommand.pageSize + 3) {
      let id = try #require(AccountID(bytes: [UInt8(number >> 8), UInt8(number & 255)] + Bytes(repeating: 0, count: 14)))
      let account = Account(id: id, registrar: "r", user: "u", domain: "d", credentials: [])
      _ = try await perform(.writeAccount(account, expecting: nil, by: Fence(holder: holder, epoch: Epoch(number: 1))), .zero)
      ids.append(id)
    }
    guard case .accounts(let first, let next?) = try await perform(.accountsOwned(by: holder.node, after: nil), .zero),
      case .accounts(let rest, nil) = try await perform(.accountsOwned(by: holder.node, after: next), .zero)
    else { throw Unexpected() }
    #expect(first.map(\.id) == Array(ids.prefix(StoreCommand.pageSize)))
    #expect(rest.map(\.id) == Array(ids.suffix(3)))
    #expect(rest.allSatisfy { $0.epoch == Epoch(number: 1) })
  }

  func theStoreIsFilledAgain() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    let account = try Account.sample(1, devices: [.sample(1)])
    let mine = SavedCall(id: .sample(1), home: one, record: [1])
    let snapshot = Snapshot(account: account, version: Version(number: 77), registration: [5], calls: [mine])
    let fence = Fence(holder: one, epoch: Epoch(number: 3))
    try await expect(.restore(snapshot, by: fence), .done)
    try await expect(.account(id), .account(.init(account: account, version: Version(number: 77))))
    try await expect(.accountOf(.sample(1)), .accountOf(id))
    try await expect(.registration(id), .record([5]))
    try await expect(.accountsOwned(by: one.node, after: nil), .accounts([.init(id: id, epoch: fence.epoch)], next: nil))
    try await expect(.homesOf(one.node, after: nil), .accounts([.init(id: id, epoch: fence.epoch)], next: nil))
    // Another home has told of its call meanwhile.
    let theirs = SavedCall(id: .sample(2), home: two, record: [2])
    try await expect(.saveCall(id, theirs.id, theirs.record, home: two), .done)
    var again = snapshot
    again.registration = nil
    again.calls = [SavedCall(id: .sample(1), home: one, record: [9]), SavedCall(id: .sample(2), home: one, record: [9])]
    try await expect(.restore(again, by: fence), .done)
    try await expect(.calls(id), .calls([SavedCall(id: .sample(1), home: one, record: [9]), theirs]))
    try await expect(.registration(id), .record([5]))
    try await expect(.writeAccount(account, expecting: Version(number: 76), by: fence), .conflict)
    try await expect(.restore(again, by: Fence(holder: two, epoch: Epoch(number: 3))), .fenced)
    try await expect(.restore(again, by: Fence(holder: two, epoch: Epoch(number: 4))), .done)
    try await expect(.saveRegistration(id, [6], by: fence), .fenced)
  }
}
