import Demo
import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing
import TestKit

/// What happens to a call until it is answered or refused.
@LoopActor
@Suite struct HeldCallTests {
  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func isAnnouncedFetchedAndAnsweredAndTheCallerHangsUp(_ transport: TransportChoice)
    async throws
  {
    try await Site.with { site in
      let phone = try await site.registered("answers-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .talks(for: 300), over: transport == .udp ? .udp : .tcp)
      try await phone.rings()
      #expect(phone.heard.first?.caller?.number == "+4930123456")
      #expect(phone.heard.first?.caller?.name == "Ann Example")
      let offer = try await phone.answer().offer
      #expect(offer?.hasPrefix("v=0\r\no=caller 4711 1 IN IP4 127.") == true)
      #expect(offer?.contains("\r\nm=audio 40002 RTP/AVP 8 0\r\n") == true)
      #expect(try await phone.ending() == .hungUp)
      #expect(await caller.complaint() == nil)
      // Who acted is not told to stop.
      #expect(phone.heard.count == 1)
    }
  }

  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func thePhoneHangsUp(_ transport: TransportChoice) async throws {
    try await Site.with { site in
      let phone = try await site.registered("hangs-up-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .listens)
      try await phone.rings()
      try await phone.answer()
      try await phone.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }

  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func theCallerGivesUp(_ transport: TransportChoice) async throws {
    try await Site.with { site in
      let phone = try await site.registered("misses-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .givesUp(after: 700))
      try await phone.rings()
      #expect(await caller.complaint() == nil)
      #expect(await phone.stopped() == [.callerHungUp])
      #expect(try await problem { _ = try await phone.client.fetch(on: .one) } == .nothingHeld)
    }
  }

  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func isDeclined(_ transport: TransportChoice) async throws {
    try await Site.with { site in
      let phone = try await site.registered("declines-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .rings(until: 603))
      try await phone.rings()
      try await phone.client.decline()
      #expect(await caller.complaint() == nil)
      #expect(try await problem { try await phone.client.decline() } == .nothingHeld)
      #expect(phone.heard.count == 1)
    }
  }

  @Test func nobodyAnswers() async throws {
    try await Site.with(["SIP_PROTECTION_TIMER_S": "5"]) { site in
      let phone = try await site.registered("sleeps")
      let began = Loop.now()
      let caller = try site.call(phone.user, .rings(until: 480))
      try await phone.rings()
      #expect(await caller.complaint() == nil)
      #expect(Loop.now() - began >= .seconds(5))
      #expect(await phone.stopped() == [.timedOut])
    }
  }

  @Test func aSecondCallIsBusyWhileOneIsHeld() async throws {
    try await Site.with { site in
      let phone = try await site.registered("busy")
      let first = try site.call(phone.user, .rings(until: 603))
      try await phone.rings()
      #expect(await (try site.call(phone.user, .isRefused(486))).complaint() == nil)
      // The first one still rings, and nothing was said of the second.
      #expect(phone.heard.count == 1)
      try await phone.client.decline()
      #expect(await first.complaint() == nil)
    }
  }

  @Test func aSecondCallRingsDuringAnAnsweredOne() async throws {
    try await Site.with { site in
      let phone = try await site.registered("talks-twice")
      let first = try site.call(phone.user, .listens)
      try await phone.rings()
      try await phone.answer(.one)
      let second = try site.call(phone.user, .listens)
      try await phone.rings(2)
      #expect(try await problem { _ = try await phone.client.fetch(on: .one) } == .lineInUse)
      try await phone.answer(.two)
      #expect(await (try site.call(phone.user, .isRefused(486))).complaint() == nil)
      try await phone.client.hangUp(.two)
      try await phone.client.hangUp(.one)
      #expect(await first.complaint() == nil)
      #expect(await second.complaint() == nil)
    }
  }

  @Test func oneCallAtATimeWhereTheServerWantsItSo() async throws {
    try await Site.with(["ACCOUNTS_ANSWERED_CALLS": "1"]) { site in
      let phone = try await site.registered("talks-once")
      let caller = try site.call(phone.user, .listens)
      try await phone.rings()
      try await phone.answer()
      #expect(await (try site.call(phone.user, .isRefused(486))).complaint() == nil)
      try await phone.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }

  @Test func aDeadPushTokenRefusesTheCallAtOnce() async throws {
    try await Site.with { site in
      let phone = try await site.registered("deaf", token: "dead" + String(repeating: "0", count: 60))
      #expect(await (try site.call(phone.user, .isRefused(480))).complaint() == nil)
      #expect(try await phone.client.state().devices.map(\.push) == [.gone])
      // A new token makes it a phone again.
      try await phone.client.setPush(.apns(token: "00" + String(repeating: "1", count: 62), topic: Handset.topic, environment: .production))
      #expect(try await phone.client.state().devices.map(\.push) == [.ok])
    }
  }

  @Test func oneOfTwoDevicesIsOutOfReach() async throws {
    try await Site.with { site in
      let deaf = try await site.registered("half-deaf", token: "dead" + String(repeating: "2", count: 60))
      let other = try await site.registered("half-deaf")
      let caller = try site.call(deaf.user, .rings(until: 603))
      try await other.rings()
      try await other.client.decline()
      #expect(await caller.complaint() == nil)
      #expect(deaf.heard.isEmpty)
    }
  }

  @Test(arguments: Phone.KeyKind.allCases) func isSealedForEachKindOfKey(_ kind: Phone.KeyKind) async throws {
    try await Site.with { site in
      let phone = try await site.registered("sealed-\(kind)", over: .udp, kind)
      let caller = try site.call(phone.user, .rings(until: 603))
      try await phone.rings()
      #expect(phone.heard.first?.caller?.number == "+4930123456")
      try await phone.client.decline()
      #expect(await caller.complaint() == nil)
      // Nobody on the way can tell a call from a stop, or one caller from another.
      #expect(Set(site.push.records.map(\.body.count)).count == 1)
    }
  }

  @Test func thePhoneOffersWhereTheCallerDidNot() async throws {
    try await Site.with { site in
      let phone = try await site.registered("offers")
      let caller = try site.call(phone.user, .letsTheOtherOffer)
      try await phone.rings()
      #expect(try await phone.client.fetch(on: .one).offer == nil)
      let answer = try await phone.client.answer(Handset.sdp, on: .one).sdp
      #expect(answer?.contains("\r\nm=audio 40002 RTP/AVP 8 0\r\n") == true)
      try await phone.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }

  /// 407 to our BYE, answered with the account's credentials.
  @Test func aProviderThatChallengesInsideTheDialog() async throws {
    try await Site.with { site in
      let phone = try await site.registered("strict")
      let caller = try site.call(phone.user, .listens)
      try await phone.rings()
      try await phone.answer()
      try await phone.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }

  /// The provider makes a connection of its own to our listener.
  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func comesInByTheListener(_ transport: TransportChoice) async throws {
    try await Site.with { site in
      let phone = try await site.registered("direct-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .listens)
      try await phone.rings()
      try await phone.answer()
      try await phone.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
    }
  }
}
