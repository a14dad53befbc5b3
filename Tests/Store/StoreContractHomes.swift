import Primitives
import Store
import Testing

/// Where calls are at home.
extension StoreUnderTest {
  func aCallHasOneHome() async throws {
    let (id, one, two, device) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"), try DeviceID.sample(1))
    try await write(.sample(1, devices: [.sample(1)]))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(200), home: two), .fenced)
    try await expect(.saveCall(id, .sample(1), [1], home: two), .fenced)
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.claimLine(id, device, line: 1, .sample(1), home: two), .fenced)
    try await expect(.claimLine(id, device, line: 1, .sample(1), home: one), .granted)
    try await expect(.releaseLine(id, device, line: 1, .sample(1), home: two), .fenced)
    try await expect(.releaseHeld(id, .sample(1), home: two), .fenced)
    try await expect(.removeCall(id, .sample(1), home: two), .fenced)
    // The next life of the node is another home.
    try await expect(.saveCall(id, .sample(1), [2], home: try .sample("a", 2)), .fenced)
    try await expect(.calls(id), .calls([SavedCall(id: .sample(1), home: one, record: [1])]))
  }

  /// A store that keeps the fixed part apart gives the record back whole, whoever saved which part of it.
  func aRecordHasAFixedPart() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    let version = try await write(.sample(1))
    func saved(_ records: [Bytes], _ home: Holder, location: SourceLocation = #_sourceLocation) async throws {
      let calls = records.enumerated().map { SavedCall(id: .sample(UInt64($0 + 1)), home: home, record: $1) }
      try await expect(.calls(id), .calls(calls), location: location)
    }
    for record in [Bytes([1, 2, 3]), [1, 2, 4, 5], [1, 2]] {
      try await expect(.saveCall(id, .sample(1), record, fixed: 2, home: one), .done)
      try await saved([record], one)
    }
    try await expect(.saveCall(id, .sample(1), [7, 7, 7], fixed: 2, home: one), .done)
    try await expect(.saveCall(id, .sample(2), [7, 7, 8], fixed: 2, home: one), .done)
    try await saved([[7, 7, 7], [7, 7, 8]], one)
    try await expect(.saveCall(id, .sample(2), [9], home: one), .done)
    try await saved([[7, 7, 7], [9]], one)
    try await expect(.saveCall(id, .sample(1), [7, 7, 6], fixed: 2, home: two), .fenced)
    // Somebody who knows the whole has told it again.
    let snapshot = Snapshot(
      account: try .sample(1), version: version, calls: [SavedCall(id: .sample(1), home: one, record: [7, 7, 5])])
    try await expect(.restore(snapshot, by: .alone), .granted)
    try await saved([[7, 7, 5], [9]], one)
    try await expect(.saveCall(id, .sample(1), [7, 7, 4], fixed: 2, home: one), .done)
    try await bury(one)
    for call in [CallID.sample(1), .sample(2)] {
      try await expect(.adoptCall(id, call, from: one, to: two), .adopted(call == .sample(1) ? [7, 7, 4] : [9]))
    }
    try await expect(.saveCall(id, .sample(1), [7, 7, 3], fixed: 2, home: two), .done)
    try await saved([[7, 7, 3], [9]], two)
    try await expect(.removeCall(id, .sample(1), home: two), .done)
    try await expect(.saveCall(id, .sample(3), [7, 7, 2], fixed: 2, home: two), .done)
    try await expect(
      .calls(id), .calls([SavedCall(id: .sample(2), home: two, record: [9]), SavedCall(id: .sample(3), home: two, record: [7, 7, 2])]))
  }

  func aCallIsAdopted() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await expect(.adoptCall(id, .sample(1), from: one, to: two), .noAccount)
    try await write(.sample(1))
    try await expect(.adoptCall(id, .sample(1), from: one, to: two), .fenced)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.adoptCall(id, .sample(1), from: two, to: try .sample("c")), .fenced)
    try await expect(.adoptCall(id, .sample(1), from: one, to: two), .fenced, "its home may live")
    try await bury(one)
    try await expect(.adoptCall(id, .sample(1), from: one, to: two), .adopted([1]))
    try await expect(.adoptCall(id, .sample(1), from: one, to: two), .adopted([1]))
    try await expect(.adoptCall(id, .sample(1), from: one, to: try .sample("c")), .fenced)
    try await expect(.saveCall(id, .sample(1), [2], home: one), .fenced)
    try await expect(.releaseHeld(id, .sample(1), home: one), .fenced)
    try await expect(.saveCall(id, .sample(1), [3], home: two), .done)
    try await expect(.releaseHeld(id, .sample(1), home: two), .done)
    try await expect(.removeCall(id, .sample(1), home: two), .done)
    try await expect(.calls(id), .calls([]))
    // Claimed, and nothing saved yet.
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: one), .granted)
    try await expect(.calls(id), .calls([SavedCall(id: .sample(2), home: one, record: [])]))
    try await expect(.adoptCall(id, .sample(2), from: one, to: two), .adopted([]))
    try await expect(.releaseHeld(id, .sample(2), home: two), .done)
  }

  func whatNeverBeganIsClaimedAgain() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await write(.sample(1))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.unclaimHeld(id, .sample(1), isOver: false, home: two), .fenced)
    try await expect(.unclaimHeld(id, .sample(2), isOver: false, home: one), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: two), .busy)
    try await expect(.unclaimHeld(id, .sample(1), isOver: false, home: one), .done)
    try await expect(.homesOf(one, after: nil), .accounts([], next: nil))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: two), .granted)
  }

  func whatWasRefusedBeforeItBeganIsNotClaimedAgain() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await expect(.unclaimHeld(id, .sample(1), isOver: true, home: one), .done)
    try await write(.sample(1))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.unclaimHeld(id, .sample(1), isOver: true, home: one), .done)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: two), .fenced)
    // A copy of it is another call.
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(100), home: two), .granted)
    try await expect(.unclaimHeld(id, .sample(2), isOver: true, home: two), .done)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: two), at: .ms(31_900), .fenced)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(40_000), home: two), at: .ms(32_100), .granted)
  }

  /// The store had lost that the call ever had the slot, or another call has it by now.
  func anEndedSlotIsRemembered() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await expect(.endHeld(id, .sample(1), merge: .sample(1), home: one), .noAccount)
    try await write(.sample(1))
    try await expect(.endHeld(id, .sample(1), merge: .sample(1), home: one), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(100), home: two), .merged)
    try await expect(.claimHeld(id, .sample(3), merge: .sample(3), until: .ms(100), home: two), .granted)
    try await expect(.endHeld(id, .sample(3), merge: .sample(3), home: one), .fenced)
    try await expect(.endHeld(id, .sample(4), merge: .sample(4), home: one), .done)
    try await expect(.endHeld(id, .sample(3), merge: .sample(3), home: two), .done)
    for request: UInt8 in [1, 3, 4] {
      try await expect(.claimHeld(id, .sample(5), merge: .sample(request, branch: 2), until: .ms(100), home: one), .merged)
    }
    try await expect(.claimHeld(id, .sample(5), merge: .sample(5), until: .ms(100), home: one), .granted)
  }

  /// A home of before that comes back does not go on with a call that has ended meanwhile.
  func whatWasRemovedIsNotWrittenAgain() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await write(.sample(1))
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.removeCall(id, .sample(1), home: one), .done)
    try await expect(.saveCall(id, .sample(1), [1], home: two), .merged)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: two), .fenced)
    try await expect(.calls(id), .calls([]))
    try await expect(.saveCall(id, .sample(2), [2], home: two), .done)
  }

  func homesAreListed() async throws {
    let (id, other) = (try AccountID.sample(1), try AccountID.sample(2))
    let (one, two) = (try Holder.sample("a"), try Holder.sample("b"))
    let first = try await write(.sample(1))
    try await write(.sample(2))
    func homes(_ holder: Holder, _ ids: [AccountID], location: SourceLocation = #_sourceLocation) async throws {
      let listed = ids.map { StoreReply.ListedAccount(id: $0, epoch: nil) }
      try await expect(.homesOf(holder, after: nil), .accounts(listed, next: nil), location: location)
    }
    try await homes(one, [])
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await homes(one, [id])
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.saveCall(id, .sample(2), [1], home: one), .done)
    try await expect(.saveCall(other, .sample(3), [1], home: two), .done)
    try await expect(.saveCall(other, .sample(4), [1], home: one), .done)
    try await homes(one, [id, other])
    try await homes(two, [other])
    try await expect(.releaseHeld(id, .sample(1), home: one), .done)
    try await expect(.removeCall(id, .sample(1), home: one), .done)
    try await homes(one, [id, other])
    try await bury(one)
    try await expect(.adoptCall(id, .sample(2), from: one, to: two), .adopted([1]))
    try await homes(one, [other])
    try await homes(two, [id, other])
    try await expect(.removeCall(other, .sample(3), home: two), .done)
    try await homes(two, [id])
    try await expect(.removeAccount(id, expecting: first, by: .alone), .done)
    try await homes(two, [])
  }

  func itIsKnownWhereToGo() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    let (phone, tablet) = (try DeviceID.sample(1), try DeviceID.sample(2))
    try await expect(.whereabouts(id), .noAccount)
    try await write(.sample(1, devices: [.sample(1), .sample(2)]))
    try await expect(.whereabouts(id), .whereabouts(.init(owner: nil, calls: [])))
    let epoch = try await claim(id, one).epoch
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.claimLine(id, phone, line: 1, .sample(1), home: one), .granted)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: two), .granted)
    try await expect(.claimLine(id, phone, line: 2, .sample(2), home: two), .granted)
    try await expect(.claimLine(id, tablet, line: 1, .sample(2), home: two), .granted)
    try await expect(
      .whereabouts(id),
      .whereabouts(
        .init(
          owner: Fence(holder: one, epoch: epoch),
          calls: [
            .init(id: .sample(1), home: one, isHeld: false, lines: [.init(device: phone, number: 1)]),
            .init(
              id: .sample(2), home: two, isHeld: true, lines: [.init(device: phone, number: 2), .init(device: tablet, number: 1)]),
          ])))
  }
}
