import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing
import TestKit

/// Two phones on one account: exactly one of them gets the call, exactly the other is told to stop.
@LoopActor
@Suite struct TwoDevicesTests {
  private func pair(_ site: Site, _ user: String) async throws -> (Handset, Handset) {
    (try await site.registered(user), try await site.registered(user, over: .udp, .p256))
  }

  @Test func oneAnswers() async throws {
    try await Site.with { site in
      let (one, other) = try await pair(site, "two-answer")
      let caller = try site.call(one.user, .listens)
      try await one.rings()
      try await other.rings()
      _ = try await one.client.fetch(on: .one)
      // The other one's fetch waits for what becomes of the claim.
      let waiting = Task { try await problem { _ = try await other.client.fetch(on: .one) } }
      _ = try await one.client.answer(Handset.sdp, on: .one)
      #expect(try await waiting.value == .nothingHeld)
      #expect(await other.stopped() == [.answeredElsewhere])
      try await one.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
      #expect(one.heard.count == 1)
      #expect(other.heard.count == 2)
    }
  }

  @Test func oneDeclines() async throws {
    try await Site.with { site in
      let (one, other) = try await pair(site, "two-decline")
      let caller = try site.call(one.user, .rings(until: 603))
      try await one.rings()
      try await other.rings()
      try await other.client.decline()
      #expect(await caller.complaint() == nil)
      #expect(await one.stopped() == [.declinedElsewhere])
      #expect(other.heard.count == 1)
    }
  }

  @Test func theCallerGivesUp() async throws {
    try await Site.with { site in
      let (one, other) = try await pair(site, "two-missed")
      let caller = try site.call(one.user, .givesUp(after: 700))
      #expect(await caller.complaint() == nil)
      #expect(await one.stopped() == [.callerHungUp])
      #expect(await other.stopped() == [.callerHungUp])
    }
  }

  @Test func oneBindingForBothAndGoneWithTheLast() async throws {
    try await Site.with { site in
      let (one, other) = try await pair(site, "two-leave")
      #expect(try await site.provider.bindings(of: one.user).count == 1)
      try await one.client.remove()
      #expect(try await site.provider.bindings(of: one.user).count == 1)
      try await other.client.remove()
      #expect(try await site.provider.bindings(of: one.user, reach: 0) == [])
    }
  }

  @Test func aClaimThatLapsesGoesToTheOther() async throws {
    try await Site.with { site in
      let (one, other) = try await pair(site, "two-lapse")
      let caller = try site.call(one.user, .listens)
      try await one.rings()
      try await other.rings()
      _ = try await one.client.fetch(on: .one)
      try await other.answer()
      #expect(await one.stopped() == [.answeredElsewhere])
      #expect(try await problem { _ = try await one.client.answer(Handset.sdp, on: .one) } == .nothingHeld)
      try await other.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }
}
