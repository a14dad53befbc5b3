import Network
import PhoneContract
import PhoneKit
import Primitives

/// The calls.
extension Play {
  func answeredCall() async throws -> ProviderCall {
    narrator.title("Ann calls; Alice answers")
    let call = try await ring(Self.ann)
    try await narrator.step(.phone, .server, "Alice taps Answer: the phone fetches the call") { line in
      let offer = try await stage.client.fetch(on: .one).offer ?? ""
      try expect(offer == DemoSDP.ofCaller, true, "the caller's SDP unchanged")
      line += ", \(offer.utf8.count) bytes of SDP"
    }
    try await answer(call)
    try await narrator.step(.phone, .server, "asks how line 1 is: the call is up") { _ in
      let status = try await stage.client.status(of: .one, after: 0, wait: 0)
      try expect(status.events.count, 0, "events")
    }
    return call
  }

  private func answer(_ call: ProviderCall) async throws {
    let client = stage.client
    narrator.tell(.phone, .server, "answers with \(DemoSDP.ofPhone.utf8.count) bytes of its own")
    let reply = Task { try await client.answer(DemoSDP.ofPhone, on: .one) }
    try await narrator.step(.server, .caller, "200 OK with the phone's SDP; the ACK comes back") { _ in
      let answer = try await call.answer()
      try expect(answer.text == DemoSDP.ofPhone, true, "the phone's SDP unchanged")
    }
    try await narrator.step(.server, .phone, "the caller is there: sound goes between provider and phone") { _ in
      try expect(try await reply.value.sdp == nil, true, "no SDP, since the caller had offered")
    }
  }

  func abandonedCall() async throws {
    narrator.title("Bob calls meanwhile, and gives up")
    let call = try await ring(Self.bob)
    let start = stage.push.recordCount
    try await narrator.step(.caller, .server, "CANCEL, answered 487") { _ in
      call.cancel()
      try expect(try await call.final(), 487, "final response")
    }
    let record = try await pushed(from: start, "stop")
    try await narrator.step(.phone, nil, "opens it, and is silent") { line in
      guard case .stop(_, let why) = try stage.phone.open(record.sealed ?? []) else {
        throw Unexpected(expected: "stop", came: "another announcement")
      }
      try expect(why, .callerHungUp, "why")
      line += ": \(why.rawValue)"
    }
  }

  func declinedCall() async throws {
    narrator.title("Somebody calls who hides his number; Alice declines")
    let call = try await ring(.anonymous)
    try await narrator.step(.phone, .server, "Alice taps Decline") { _ in try await stage.client.decline() }
    try await narrator.step(.server, .caller, "603 Decline") { _ in try expect(try await call.final(), 603, "final response") }
  }

  func hangUp(_ call: ProviderCall) async throws {
    narrator.title("Alice hangs up on Ann")
    try await narrator.step(.phone, .server, "hangs up line 1") { _ in try await stage.client.hangUp(.one) }
    try await narrator.step(.server, .caller, "BYE, answered 200") { _ in
      try expect(try await call.ended(), .phone, "who hung up")
    }
  }

  // MARK: Ringing

  /// From the INVITE until the phone shows who calls.
  private func ring(_ caller: ProviderCaller) async throws -> ProviderCall {
    let start = stage.push.recordCount
    let call = try await narrator.step(.caller, .server, "INVITE from \(caller.shown)") { _ in
      try stage.provider.call(Stage.user, from: caller, sdp: Array(DemoSDP.ofCaller.utf8))
    }
    try await narrator.step(.server, .caller, "100 Trying") { _ in try await call.trying() }
    try await narrator.step(.server, .caller, "180 Ringing: the call is held") { _ in try await call.ringing() }
    let record = try await pushed(from: start, "a call")
    try await narrator.step(.phone, nil, "wakes, opens it with its key, rings") { line in
      guard case .call(_, let number, let name) = try stage.phone.open(record.sealed ?? []) else {
        throw Unexpected(expected: "a call", came: "another announcement")
      }
      let opened = ProviderCaller(name: name, number: number)
      try expect(opened, caller, "the caller")
      line += ": \(opened.shown)"
    }
    return call
  }

  private func pushed(from start: Int, _ what: String) async throws -> PushRecord {
    try await narrator.step(.server, .push, what) { line in
      let record = try await stage.push.push(for: stage.token, from: start)
      // 512 bytes, an encapsulated key of 32 and a tag of 16 (RFC 9180).
      try expect(record.sealed?.count, 560, "sealed bytes")
      // With the quotes that a name has in JSON: three letters alone come up in sealed bytes by chance.
      for secret in ["\"Ann\"", "\"Bob\"", "4930123456", "4989654321"] {
        try expect(record.body.text.contains(secret), false, "something readable in the push")
      }
      line += "; the service sees a device token and 560 sealed bytes, \(Hex.encode(record.sealed?.prefix(4) ?? []))…"
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
