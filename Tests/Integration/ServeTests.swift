import Cryptography
import Foundation
import Network
import PhoneContract
import PhoneKit
import Primitives
import Testing
import TestKit

/// The executable, from start to SIGTERM.
@LoopActor
@Suite struct ServeTests {
  @Test func aCallAndAnOrderlyEnd() async throws {
    try await ServedSite.with { site in
      let phone = try site.phone(of: "served")
      #expect(try await phone.setUp(over: .tls).registration.state == .registered)
      let caller = try site.call(phone.user, .talks(for: 200))
      try await phone.rings()
      try await phone.answer()
      #expect(try await phone.ending() == .hungUp)
      #expect(await caller.complaint() == nil)

      #expect(try await site.provider.bindings(of: phone.user).count == 1)
      #expect(await site.stop() == 0)
      #expect(try await site.provider.bindings(of: phone.user) == [])
    }
  }

  @Test func pagesForThoseWhoRunIt() async throws {
    try await ServedSite.with { site in
      #expect(try await site.setting.page("/healthz").hasPrefix("HTTP/1.1 200 "))
      #expect(try await site.setting.page("/readyz").hasSuffix("ready\n"))
      #expect(try await site.setting.page("/else").hasPrefix("HTTP/1.1 404 "))
      let phone = try site.phone(of: "counted")
      _ = try await phone.setUp(over: .udp)
      let page = try await site.setting.page("/metrics")
      #expect(page.contains("\nringhold_accounts 1\n"))
      #expect(page.contains("\nringhold_registration_changes_total{state=\"registered\"} 1\n"))
      try await expectPromtoolIsContent(with: page)
      #expect(await site.stop() == 0)
    }
  }

  /// An address that somebody has already.
  @Test func saysWhatIsInTheWay() async throws {
    try await ServedSite.with { site in
      let second = try await Program.run(Program.ringhold, ["serve", "--config", site.setting.file], environment: [:])
      #expect(second.status == 78)
      #expect(second.output.split(separator: "\n").count == 1 && second.output.contains("address"), "\(second.output)")
      #expect(await site.stop() == 0)
    }
  }

  /// 20,000 messages that are none leave nothing behind.
  @Test func badMessagesDoNotAddUp() async throws {
    try await ServedSite.with { site in
      // So many at most from one address, so they come from many.
      let peers = try (0..<25).map { _ in try RawDatagrams(to: site.setting.sip) }
      var flood = Flood()
      try await flood.send(2_000, by: peers)
      let before = try residentKiB(site.program.id)
      try await flood.send(20_000, by: peers)
      let after = try residentKiB(site.program.id)
      // They were 50 MB.
      #expect(after - before < 12_000, "\(before) KiB before, \(after) KiB after")
      let phone = try site.phone(of: "after-the-flood")
      #expect(try await phone.setUp(over: .udp).registration.state == .registered)
      for peer in peers { peer.close() }
      #expect(await site.stop() == 0)
    }
  }

  private func residentKiB(_ process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}

/// Bad messages without end: those of the RFCs, spoilt ones, and noise; 2.5 KB each.
@LoopActor
struct Flood {
  private var random = SeededRandom(seed: 4475)
  private var sent = 0
  private let padding = Bytes(repeating: UInt8(ascii: "x"), count: 2_000)
  private let noise = (0..<16).map { _ in SystemRandom.bytes(2_500) }

  mutating func send(_ count: Int, by peers: [RawDatagrams]) async throws {
    for _ in 0..<count / 100 {
      for _ in 0..<100 {
        peers[sent % peers.count].send(next())
        sent += 1
      }
      // Waits for the server: what a full socket drops is no test.
      let peer = peers[sent / 100 % peers.count]
      guard await peer.isServed() else { throw Unserved(after: sent) }
      peer.forget()
    }
  }

  struct Unserved: Error { let after: Int }

  private mutating func next() -> Bytes {
    switch sent % 4 {
    case 0: return noise[sent / 4 % noise.count]
    case 1: return Torture.messages[sent / 4 % Torture.messages.count].bytes + padding
    case 2:
      // As it should be, but for a few bytes.
      var message = options(callID: "flood-\(sent)", from: anyPort, over: "UDP")
      for _ in 0..<8 { message[Int(random.next() % UInt64(message.count))] = UInt8(truncatingIfNeeded: random.next()) }
      return message + padding
    default:
      let text = options(callID: "flood-\(sent)", from: anyPort, over: "UDP").text
      return Array(text.replacing("CSeq: 1 OPTIONS", with: "CSeq: 1 INVITE").utf8) + padding
    }
  }
}

/// Prometheus' own opinion of the page. `page` may have its head before it.
@LoopActor
func expectPromtoolIsContent(with page: String) async throws {
  let body = page.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
  let opinion = try await Program.run("/usr/bin/promtool", ["check", "metrics"], input: body)
  #expect(opinion.status == 0)
  #expect(opinion.output == "")
  #expect(body.contains("ringhold_build_info"))
}
