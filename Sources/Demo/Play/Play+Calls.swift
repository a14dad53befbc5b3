import Network
import PhoneContract
import PhoneKit
import Primitives

/// The calls.
extension Play {
  func answeredCall() async throws -> ProviderCall {
    narrator.title("Ann calls; Alice answers")
    let call = try await ring(Self.ann)
    _ = try await narrator.step(.phone, .server, "Alice taps Answer: the phone fetches the call", detail: { ", \($0) bytes of SDP" }) {
      let offer = try await stage.client.fetch(on: .one).offer ?? ""
      try expect(offer == DemoSDP.ofCaller, true, "the caller's SDP unchanged")
      return offer.utf8.count
    }
    _ = try await narrator.step(.phone, .server, "answers", detail: { " with \($0) bytes of its own" }) { DemoSDP.ofPhone.utf8.count }
    async let reply = stage.client.answer(DemoSDP.ofPhone, on: .one)
    _ = try await narrator.step(.server, .caller, "200 OK with the phone's SDP; ACK comes back") {
      let answer = try await call.answer()
      try expect(answer.text == DemoSDP.ofPhone, true, "the phone's SDP unchanged")
    }
    _ = try await narrator.step(.server, .phone, "the caller is there: sound goes from provider to phone, not through the server") {
      try expect(try await reply.sdp == nil, true, "no SDP, since the caller had offered")
    }
    _ = try await narrator.step(.phone, .server, "asks how line 1 is", detail: { ": \($0)" }) {
      let status = try await stage.client.status(of: .one, after: 0, wait: 0)
      try expect(status.events.count, 0, "events")
      return "the call is up"
    }
    return call
  }

  func abandonedCall() async throws {
    narrator.title("Bob calls meanwhile, and gives up")
    let call = try await ring(Self.bob)
    let start = stage.push.records.count
    _ = try await narrator.step(.caller, .server, "CANCEL, answered 487") {
      call.cancel()
      try expect(try await call.final(), 487, "final response")
    }
    let record = try await pushed(from: start, "a stop, as silent and as long as the call before")
    _ = try await narrator.step(.phone, nil, "opens it, and stops ringing", detail: { ": \($0)" }) {
      guard case .stop(_, let why) = try stage.phone.open(record.sealed ?? []) else {
        throw Unexpected(expected: "stop", came: "another announcement")
      }
      try expect(why, .callerHungUp, "why")
      return why.rawValue
    }
  }

  func declinedCall() async throws {
    narrator.title("Somebody calls who hides his number; Alice declines")
    let call = try await ring(.anonymous)
    _ = try await narrator.step(.phone, .server, "Alice taps Decline") { try await stage.client.decline() }
    _ = try await narrator.step(.server, .caller, "603 Decline") { try expect(try await call.final(), 603, "final response") }
  }

  func hangUp(_ call: ProviderCall) async throws {
    narrator.title("Alice hangs up on Ann")
    _ = try await narrator.step(.phone, .server, "hangs up line 1") { try await stage.client.hangUp(.one) }
    _ = try await narrator.step(.server, .caller, "BYE, answered 200") { try expect(try await call.ended(), .phone, "who hung up") }
  }

  // MARK: Ringing

  /// From the INVITE until the phone shows who calls.
  private func ring(_ caller: ProviderCaller) async throws -> ProviderCall {
    let start = stage.push.records.count
    let call = try await narrator.step(.caller, .server, "INVITE from \(caller.shown)") {
      try stage.provider.call(Stage.user, from: caller, sdp: Array(DemoSDP.ofCaller.utf8))
    }
    _ = try await narrator.step(.server, .caller, "100 Trying") { try await call.trying() }
    _ = try await narrator.step(.server, .caller, "180 Ringing: the call is held") { try await call.ringing() }
    let record = try await pushed(from: start, "who calls")
    _ = try await narrator.step(.phone, nil, "wakes, opens it with its key and rings", detail: { ": \($0.shown)" }) {
      guard case .call(_, let number, let name) = try stage.phone.open(record.sealed ?? []) else {
        throw Unexpected(expected: "a call", came: "another announcement")
      }
      let opened = ProviderCaller(name: name, number: number)
      try expect(opened, caller, "the caller")
      return opened
    }
    return call
  }

  private func pushed(from start: Int, _ what: String) async throws -> PushRecord {
    try await narrator.step(.server, .push, what, detail: { ", sealed: \($0.sealed?.prefix(6).hex ?? "")… is all that the service sees" }) {
      let record = try await stage.push.push(for: stage.token, from: start)
      // 512 bytes, an encapsulated key of 32 and a tag of 16 (RFC 9180).
      try expect(record.sealed?.count, 560, "sealed bytes")
      for secret in ["Ann", "Bob", "4930123456", "4989654321"] {
        try expect(record.body.text.contains(secret), false, "nothing readable in the push")
      }
      return record
    }
  }
}

extension ProviderCaller {
  /// As the demo tells it.
  fileprivate var shown: String { [name, number].compactMap(\.self).joined(separator: " ").ifEmpty("somebody unknown") }
}

extension String {
  fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}

extension Slice {
  fileprivate var hex: String { Hex.encode(self) }
}
