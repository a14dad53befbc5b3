import Primitives
import Store
import Testing

/// Who is there, and who owns what.
extension StoreUnderTest {
  func join(_ node: String, _ address: String = "10.0.0.1:7443", after last: UInt64 = 0, at now: Instant = .zero) async throws -> Holder {
    let command = StoreCommand.joinCluster(try #require(NodeID(node)), peerAddress: address, after: last)
    guard case .joined(let holder) = try await perform(command, now) else { throw Unexpected() }
    return holder
  }

  func bury(_ holder: Holder) async throws { try await expect(.buryLease(holder, unrenewedFor: .zero), .buried) }

  struct Claimed: Equatable {
    let epoch: Epoch
    let snapshot: Snapshot
  }

  func claim(_ id: AccountID, _ holder: Holder, expecting epoch: Epoch? = nil) async throws -> Claimed {
    guard case .owned(let epoch, let snapshot) = try await perform(.claimOwner(id, holder, expecting: epoch), .zero) else {
      throw Unexpected()
    }
    return Claimed(epoch: epoch, snapshot: snapshot)
  }

  func members(at now: Instant) async throws -> [Member] {
    guard case .members(let members) = try await perform(.members, now) else { throw Unexpected() }
    return members.filter { $0.remaining > .zero }
  }

  /// Those whose lease has run out, and whom nobody has buried.
  func lapsed(at now: Instant) async throws -> [Member] {
    guard case .members(let members) = try await perform(.members, now) else { throw Unexpected() }
    return members.filter { $0.remaining == .zero }
  }

  /// The moments are seconds apart: a store may count leases by a clock of its own that goes on between two commands.
  func aLeaseEnds() async throws {
    let one = try await join("a", "10.0.0.1:7443")
    let two = try await join("b", "10.0.0.2:7443", at: .ms(1000))
    let both = try await members(at: .ms(1000))
    #expect(both.map(\.holder) == [one, two])
    #expect(both.map(\.peerAddress) == ["10.0.0.1:7443", "10.0.0.2:7443"])
    #expect(both.allSatisfy { $0.remaining > .milliseconds(1000) && $0.remaining <= Member.lease })
    try await expect(.renewLease(two, peerAddress: nil), at: .ms(2000), .renewed)
    #expect(try await members(at: .ms(4000)).map(\.holder) == [two])
    #expect(try await lapsed(at: .ms(4000)).map(\.holder) == [one])
    // Nobody has buried it: it goes on.
    try await expect(.renewLease(one, peerAddress: "10.0.0.1:7444"), at: .ms(4000), .renewed)
    #expect(try await members(at: .ms(4000)).map(\.peerAddress) == ["10.0.0.1:7444", "10.0.0.2:7443"])
    try await expect(.leaveCluster(two), at: .ms(4000), .done)
    try await expect(.renewLease(two, peerAddress: nil), at: .ms(4000), .leaseLost)
    #expect(try await members(at: .ms(4000)).map(\.holder) == [one])
    #expect(try await lapsed(at: .ms(4000)).isEmpty)
  }

  func aNodeHasOneLife() async throws {
    let first = try await join("a", "10.0.0.1:7443")
    let second = try await join("a", "10.0.0.1:7443")
    #expect(second.incarnation > first.incarnation)
    try await expect(.renewLease(first, peerAddress: "10.0.0.1:7443"), .leaseLost)
    try await expect(.buryLease(first, unrenewedFor: .zero), .buried)
    try await expect(.leaveCluster(first), .done)
    try await expect(.renewLease(second, peerAddress: nil), .renewed)
    let elsewhere = StoreCommand.joinCluster(second.node, peerAddress: "10.0.0.9:7443", after: 0)
    try await expect(elsewhere, .joinRefused(.nameTaken))
    #expect(try await members(at: .zero).map(\.peerAddress) == ["10.0.0.1:7443"])
    try await bury(second)
    try await expect(.renewLease(second, peerAddress: nil), .leaseLost)
    #expect(try await join("a", "10.0.0.9:7443").incarnation > second.incarnation)
    let third = try await join("a", "10.0.0.9:7443", after: second.incarnation + 1_000_000)
    #expect(third.incarnation == second.incarnation + 1_000_001)
  }

  func whoRenewsIsNotBuried() async throws {
    let one = try await join("a")
    try await expect(.buryLease(one, unrenewedFor: Member.lease), at: .ms(1000), .leaseLives)
    try await expect(.renewLease(one, peerAddress: nil), at: .ms(1500), .renewed)
    try await expect(.buryLease(one, unrenewedFor: .milliseconds(750)), at: .ms(1500), .leaseLives)
    try await expect(.buryLease(one, unrenewedFor: .milliseconds(750)), at: .ms(3000), .buried)
    try await expect(.buryLease(one, unrenewedFor: .milliseconds(750)), at: .ms(3000), .buried)
    try await expect(.renewLease(one, peerAddress: "10.0.0.1:7443"), at: .ms(3000), .leaseLost)
    #expect(try await members(at: .ms(3000)).isEmpty)
  }

  /// The store came back empty: whoever lives says so, and gets the time for it.
  func aLeaseThatTheStoreForgotIsRenewed() async throws {
    let (one, two) = (try Holder.sample("a", 7), try Holder.sample("b", 8))
    try await expect(.renewLease(one, peerAddress: "10.0.0.1:7443"), .renewed)
    #expect(try await members(at: .zero).map(\.holder) == [one])
    try await expect(.buryLease(two, unrenewedFor: Member.lease), .leaseLives)
    #expect(try await members(at: .zero).map(\.holder) == [one], "nobody knows where it is")
    try await expect(.renewLease(two, peerAddress: nil), at: .ms(1000), .renewed)
    #expect(try await members(at: .ms(1000)).map(\.holder) == [one])
    try await expect(.renewLease(two, peerAddress: "10.0.0.2:7443"), at: .ms(1000), .renewed)
    #expect(try await members(at: .ms(1000)).map(\.holder) == [one, two])
    try await expect(.buryLease(two, unrenewedFor: Member.lease), at: .ms(5000), .buried)
    // A life that the store has never heard of is later than one that it knows.
    try await expect(.renewLease(try .sample("a", 9), peerAddress: "x"), at: .ms(5000), .renewed)
    try await expect(.renewLease(one, peerAddress: "10.0.0.1:7443"), at: .ms(5000), .leaseLost)
    #expect(try await join("b", at: .ms(5000)).incarnation > two.incarnation)
  }

  func straysAreFound() async throws {
    let (one, two, asking) = (try await join("a"), try Holder.sample("b", 7), try Holder.sample("c"))
    func strays(at now: Instant = .zero, _ expected: Strays, location: SourceLocation = #_sourceLocation) async throws {
      try await expect(.strays(asking), at: now, .strays(expected), location: location)
    }
    try await strays(.init())
    for number in UInt8(1)...4 { try await write(.sample(number)) }
    try await strays(.init(unowned: 4))
    _ = try await claim(try .sample(1), one)
    let theirs = try await claim(try .sample(2), two)
    _ = try await claim(try .sample(3), asking)
    try await expect(.claimHeld(try .sample(1), .sample(1), merge: .sample(1), until: .ms(9), home: try .sample("d")), .granted)
    try await strays(.init(unowned: 1, owned: 1, silent: [two, asking, try .sample("d")]))
    try await expect(.renewLease(asking, peerAddress: "x"), at: .ms(2000), .renewed)
    try await strays(at: .ms(2000), .init(unowned: 1, owned: 1, silent: [two, try .sample("d")]))
    try await strays(at: .ms(4000), .init(unowned: 1, owned: 1, silent: [one, two, try .sample("d")]))
    _ = try await join("a", at: .ms(4000))
    for dead in [two, try .sample("d")] { try await bury(dead) }
    try await strays(at: .ms(4000), .init(unowned: 1, owned: 1, dead: [one, two, try .sample("d")]))
    try await expect(.releaseOwner(try .sample(2), Fence(holder: two, epoch: theirs.epoch)), .done)
    try await expect(.adoptCall(try .sample(1), .sample(1), from: try .sample("d"), to: asking), .adopted([]))
    try await strays(at: .ms(4000), .init(unowned: 2, owned: 1, dead: [one]))
  }

  func anAccountHasOneOwner() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await expect(.claimOwner(id, one, expecting: nil), .noAccount)
    let version = try await write(.sample(1))
    let first = try await claim(id, one)
    #expect(first.snapshot == Snapshot(account: try .sample(1), version: version))
    let owner = Fence(holder: one, epoch: first.epoch)
    #expect(try await claim(id, one) == first, "its answer may have been lost")
    try await expect(.saveRegistration(id, [7], by: owner), .done)
    try await expect(.saveCall(id, .sample(5), [8], home: one), .done)
    // Whatever is known of its lease: as long as it is not buried it may come back.
    try await expect(.claimOwner(id, two, expecting: first.epoch), .ownedBy(owner))
    try await expect(.renewLease(one, peerAddress: "x"), .renewed)
    try await expect(.claimOwner(id, two, expecting: first.epoch), .ownedBy(owner))
    try await bury(one)
    try await expect(.claimOwner(id, two, expecting: nil), .ownedBy(owner))
    let second = try await claim(id, two, expecting: first.epoch)
    #expect(second.epoch.number == first.epoch.number + 1)
    #expect(second.snapshot.registration == [7])
    #expect(second.snapshot.calls == [SavedCall(id: .sample(5), home: one, record: [8])])
    // The next life of the node is the end of this one.
    try await expect(.renewLease(try .sample("b", 2), peerAddress: "x"), .renewed)
    let third = try await claim(id, try .sample("b", 2), expecting: second.epoch)
    #expect(third.epoch.number == second.epoch.number + 1)
    try await expect(.claimOwner(id, one, expecting: first.epoch), .ownedBy(Fence(holder: try .sample("b", 2), epoch: third.epoch)))
    try await expect(.releaseOwner(id, owner), .fenced)
  }

  func manyAreClaimedAtOnce() async throws {
    let (one, two) = (try Holder.sample("a"), try Holder.sample("b"))
    let ids = try (1...5).map { try AccountID.sample($0) }
    for number in UInt8(1)...4 { try await write(.sample(number)) }
    let first = try await claim(ids[0], one)
    let theirs = try await claim(ids[1], try .sample("c"))
    try await expect(.saveCall(ids[2], .sample(1), [1], home: one), .done)
    try await bury(one)
    let asked = ids.map { StoreReply.ListedAccount(id: $0, epoch: $0 == ids[0] ? first.epoch : $0 == ids[1] ? theirs.epoch : nil) }
    let now = Instant.ms(0)
    guard case .claims(let outcomes) = try await perform(.claimOwners(asked, two), now), outcomes.count == 5 else { throw Unexpected() }
    #expect(outcomes[0] == .owned(Epoch(number: first.epoch.number + 1), first.snapshot))
    #expect(outcomes[1] == .ownedBy(Fence(holder: try .sample("c"), epoch: theirs.epoch)))
    guard case .owned(_, let snapshot) = outcomes[2] else { throw Unexpected() }
    #expect(snapshot.calls == [SavedCall(id: .sample(1), home: one, record: [1])])
    #expect(outcomes[4] == .noAccount)
    guard case .accounts(let listed, nil) = try await perform(.accountsOwned(by: two, after: nil), now) else { throw Unexpected() }
    #expect(listed.map(\.id) == [ids[0], ids[2], ids[3]])
  }

  func whoIsBehindIsFenced() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    let account = try Account.sample(1)
    let version = try await write(account)
    let before = Fence(holder: one, epoch: try await claim(id, one).epoch)
    try await bury(one)
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
    func list(_ holder: Holder?, after: AccountID? = nil, _ places: [Int], location: SourceLocation = #_sourceLocation) async throws {
      let listed = places.map { StoreReply.ListedAccount(id: ids[$0], epoch: $0 < 3 ? epochs[$0] : nil) }
      try await expect(.accountsOwned(by: holder, after: after), .accounts(listed, next: nil), location: location)
    }
    try await list(one, [0, 2])
    try await list(one, after: ids[0], [2])
    try await list(two, [1])
    try await list(nil, [3])
    try await expect(.releaseOwner(ids[0], Fence(holder: one, epoch: epochs[0])), .done)
    try await bury(one)
    _ = try await claim(ids[2], two, expecting: epochs[2])
    epochs[2] = Epoch(number: epochs[2].number + 1)
    try await list(one, [])
    try await list(two, [1, 2])
    try await list(nil, [0, 3])
    guard case .account(let stored?) = try await perform(.account(ids[1]), .zero) else { throw Unexpected() }
    try await expect(.removeAccount(ids[1], expecting: stored.version, by: Fence(holder: two, epoch: epochs[1])), .done)
    try await list(two, [2])
    try await list(try .sample("b", 2), [])
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
    guard case .accounts(let first, let next?) = try await perform(.accountsOwned(by: holder, after: nil), .zero),
      case .accounts(let rest, nil) = try await perform(.accountsOwned(by: holder, after: next), .zero)
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
    try await expect(.restore(snapshot, by: fence), .fresh)
    try await expect(.account(id), .account(.init(account: account, version: Version(number: 77))))
    try await expect(.accountOf(.sample(1)), .accountOf(id))
    try await expect(.registration(id), .record([5]))
    try await expect(.accountsOwned(by: one, after: nil), .accounts([.init(id: id, epoch: fence.epoch)], next: nil))
    try await expect(.homesOf(one, after: nil), .accounts([.init(id: id, epoch: fence.epoch)], next: nil))
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
    try await expect(.restore(again, by: Fence(holder: two, epoch: Epoch(number: 4))), .granted)
    try await expect(.releaseOwner(id, Fence(holder: two, epoch: Epoch(number: 4))), .done)
    try await expect(.restore(again, by: Fence(holder: two, epoch: Epoch(number: 5))), .granted)
    try await expect(.saveRegistration(id, [6], by: fence), .fenced)
  }
}
