import Primitives
import Store
import Testing

extension StoreUnderTest {
  func oneCallIsHeld() async throws {
    let id = try AccountID.sample(1)
    try await write(.sample())
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: .alone), .granted)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(110), home: .alone), .granted)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: .alone), .busy)
    try await expect(.releaseHeld(id, .sample(2), home: .alone), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: .alone), .busy)
    try await expect(.releaseHeld(id, .sample(1), home: .alone), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(100), home: .alone), .granted)
  }

  func copiesOfAnInviteAreMerged() async throws {
    let (id, other) = (try AccountID.sample(1), try AccountID.sample(2))
    try await write(.sample(1))
    try await write(.sample(2))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: .alone), .granted)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(100), home: .alone), .merged)
    try await expect(.claimHeld(other, .sample(3), merge: .sample(1), until: .ms(100), home: .alone), .granted)
    try await expect(.releaseHeld(id, .sample(1), home: .alone), at: .ms(50), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(40_000), home: .alone), at: .ms(32_049), .merged)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(40_000), home: .alone), at: .ms(32_050), .granted)
  }

  /// The node that it came to has died, or is in its next life.
  func anInviteThatComesAgainIsNoCopy() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await write(.sample())
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.saveCall(id, .sample(1), [1], home: one), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(100), home: two), .retransmission)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(100), home: two), .merged)
    try await expect(.endHeld(id, .sample(1), merge: .sample(1), home: one), .done)
    try await expect(.endHeld(id, .sample(3), merge: .sample(1, branch: 3), home: two), .done)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(100), home: two), .retransmission)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 3), until: .ms(100), home: two), .retransmission)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(100), home: two), .merged)
  }

  /// Its home is dead, and has told nobody of it.
  func anInviteThatComesAgainTakesWhatWasOnlyClaimed() async throws {
    let (id, one, two) = (try AccountID.sample(1), try Holder.sample("a"), try Holder.sample("b"))
    try await write(.sample())
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .granted)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(100), home: two), .retransmission, "its home may live")
    try await bury(one)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1, branch: 2), until: .ms(100), home: two), .merged)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(1), until: .ms(100), home: two), .granted)
    try await expect(.homesOf(one, after: nil), .accounts([], next: nil))
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: one), .retransmission)
  }

  func aClaimEnds() async throws {
    let id = try AccountID.sample(1)
    try await write(.sample())
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: .alone), .granted)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(200), home: .alone), at: .ms(99), .busy)
    try await expect(.claimHeld(id, .sample(2), merge: .sample(2), until: .ms(200), home: .alone), at: .ms(100), .granted)
    try await expect(.releaseHeld(id, .sample(1), home: .alone), at: .ms(101), .done)
    try await expect(.claimHeld(id, .sample(3), merge: .sample(3), until: .ms(200), home: .alone), at: .ms(102), .busy)
  }

  func aLineHasOneCall() async throws {
    let (id, one, two) = (try AccountID.sample(1), try DeviceID.sample(1), try DeviceID.sample(2))
    try await write(.sample(devices: [.sample(1), .sample(2)]))
    try await expect(.claimLine(id, one, line: 1, .sample(1), home: .alone), .granted)
    try await expect(.claimLine(id, one, line: 1, .sample(1), home: .alone), .granted)
    try await expect(.claimLine(id, one, line: 1, .sample(2), home: .alone), .busy)
    try await expect(.claimLine(id, one, line: 2, .sample(2), home: .alone), .granted)
    try await expect(.claimLine(id, two, line: 1, .sample(3), home: .alone), .granted)
    try await expect(.claimLine(id, one, line: 3, .sample(4), home: .alone), .busy)
    try await expect(.claimLine(id, .sample(9), line: 1, .sample(4), home: .alone), .busy)
    try await expect(.releaseLine(id, one, line: 1, .sample(2), home: .alone), .done)
    try await expect(.claimLine(id, one, line: 1, .sample(4), home: .alone), .busy)
    try await expect(.releaseLine(id, one, line: 1, .sample(1), home: .alone), .done)
    try await expect(.claimLine(id, one, line: 1, .sample(4), home: .alone), .granted)
  }

  func callsAreKept() async throws {
    let id = try AccountID.sample(1)
    try await write(.sample())
    try await expect(.calls(id), .calls([]))
    try await expect(.saveCall(id, .sample(1), [1], home: .alone), .done)
    try await expect(.saveCall(id, .sample(2), [2], home: .alone), .done)
    try await expect(.saveCall(id, .sample(1), [3], home: .alone), .done)
    try await expect(
      .calls(id), .calls([.init(id: .sample(1), home: .alone, record: [3]), .init(id: .sample(2), home: .alone, record: [2])]))
    try await expect(.removeCall(id, .sample(1), home: .alone), .done)
    try await expect(.removeCall(id, .sample(1), home: .alone), .done)
    try await expect(.calls(id), .calls([.init(id: .sample(2), home: .alone, record: [2])]))
  }

  func aCallThatIsGoneHasNoLine() async throws {
    let (id, device) = (try AccountID.sample(1), try DeviceID.sample(1))
    try await write(.sample(devices: [.sample(1)]))
    try await expect(.saveCall(id, .sample(1), [1], home: .alone), .done)
    for (line, call) in [(1, CallID.sample(1)), (2, .sample(2))] {
      try await expect(.claimLine(id, device, line: line, call, home: .alone), .granted)
    }
    try await expect(.removeCall(id, .sample(1), home: .alone), .done)
    try await expect(.claimLine(id, device, line: 1, .sample(3), home: .alone), .granted)
    try await expect(.claimLine(id, device, line: 2, .sample(3), home: .alone), .busy)
  }

  func registrationsAreKept() async throws {
    let account = try Account.sample()
    let version = try await write(account)
    try await expect(.registration(account.id), .record(nil))
    try await expect(.saveRegistration(account.id, [1], by: .alone), .done)
    try await expect(.saveRegistration(account.id, [2], by: .alone), .done)
    try await write(account, expecting: version)
    try await expect(.registration(account.id), .record([2]))
  }

  func withoutAnAccountNothingIsClaimed() async throws {
    let id = try AccountID.sample(1)
    try await expect(.claimHeld(id, .sample(1), merge: .sample(1), until: .ms(100), home: .alone), .noAccount)
    try await expect(.claimLine(id, .sample(1), line: 1, .sample(1), home: .alone), .noAccount)
    try await expect(.saveCall(id, .sample(1), [1], home: .alone), .noAccount)
    try await expect(.saveRegistration(id, [1], by: .alone), .noAccount)
    try await expect(.releaseHeld(id, .sample(1), home: .alone), .done)
    try await expect(.calls(id), .calls([]))
  }
}
