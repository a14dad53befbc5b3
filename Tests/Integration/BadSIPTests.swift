import Cryptography
import Demo
import Endpoints
import Network
import Node
import Primitives
import Testing
import TestKit

/// SIP that is none: an answer where there is one to give, silence or the end of the connection where not, and the next request is served.
@LoopActor
@Suite struct BadSIPTests {
  @Test func tortureOverUDP() async throws {
    try await Site.with { site in
      #expect(Torture.messages.count == 62)
      for (name, message) in Torture.messages {
        // Each from an address of its own: refusals are counted by address.
        let peer = try RawDatagrams(to: site.setting.sip)
        peer.send(message)
        #expect(await peer.isServed(), "after \(name)")
        peer.close()
      }
      #expect(site.push.records.isEmpty)
    }
  }

  @Test func tortureOverTCP() async throws {
    try await Site.with { site in
      for (name, message) in Torture.messages {
        let peer = try await RawStream(to: site.setting.sip)
        peer.send(message)
        let next = try await RawStream(to: site.setting.sip)
        #expect(await next.isServed(), "after \(name)")
        peer.close()
        next.close()
      }
    }
  }

  /// All at once on one connection: the good ones among them are answered, or the connection ends.
  @Test func tortureInOnePiece() async throws {
    try await Site.with { site in
      let peer = try await RawStream(to: site.setting.sip)
      peer.send(Torture.messages.flatMap(\.bytes))
      let next = try await RawStream(to: site.setting.sip)
      #expect(await next.isServed())
      peer.close()
      next.close()
    }
  }

  @Test func aBadRequestIsTold() async throws {
    try await Site.with { site in
      let peer = try RawDatagrams(to: site.setting.sip)
      let good = options(callID: "told", from: peer.local, over: "UDP").text
      for (bad, status) in [
        (good.replacing("CSeq: 1 OPTIONS", with: "CSeq: one OPTIONS"), 400),
        (good.replacing("CSeq: 1 OPTIONS", with: "CSeq: 1 INVITE"), 400),
        (good.replacing("SIP/2.0\r\nVia", with: "SIP/7.0\r\nVia"), 505), (good.replacing("OPTIONS", with: "JUGGLE"), 501),
      ] {
        peer.forget()
        peer.send(Array(bad.utf8))
        let answer = await eventually(within: .seconds(5), { peer.heard.first?.text }, until: { $0 != nil })
        #expect(answer?.hasPrefix("SIP/2.0 \(status) ") == true, "\(bad.prefix(30)): \(answer?.prefix(40) ?? "nothing")")
      }
      #expect(await peer.isServed())
      peer.close()
    }
  }

  @Test func tooLargeForUDP() async throws {
    try await Site.with { site in
      let peer = try RawDatagrams(to: site.setting.sip)
      let good = options(callID: "large", from: anyPort, over: "UDP").text
      peer.send(Array(good.replacing("Max-Forwards", with: "Subject: " + String(repeating: "x", count: 64_000) + "\r\nMax-Forwards").utf8))
      peer.send(Array(good.replacing("Max-Forwards", with: String(repeating: "X-A: b\r\n", count: 1000) + "Max-Forwards").utf8))
      peer.send(SystemRandom.bytes(65_000))
      #expect(await peer.isServed())
      peer.close()
    }
  }

  @Test(arguments: ["header", "body", "fields"]) func tooLargeForTCP(_ what: String) async throws {
    try await Site.with { site in
      let peer = try await RawStream(to: site.setting.sip)
      let good = options(callID: "large", from: anyPort, over: "TCP").text
      switch what {
      case "header": peer.send(good.replacing("Max-Forwards", with: "Subject: " + String(repeating: "x", count: 100_000)))
      case "body": peer.send(good.replacing("Content-Length: 0", with: "Content-Length: 1000000"))
      default: peer.send(good.replacing("Max-Forwards", with: String(repeating: "X-A: b\r\n", count: 1000) + "Max-Forwards"))
      }
      // The connection is of no more use, or the message was refused whole.
      #expect(
        await eventually(
          within: .seconds(5), { peer.heard.text.hasPrefix("SIP/2.0 4") || peer.heard.text.hasPrefix("SIP/2.0 513") }, until: { $0 }))
      let next = try await RawStream(to: site.setting.sip)
      #expect(await next.isServed())
      peer.close()
      next.close()
    }
  }

  @Test func garbageInThePlaceOfTLS() async throws {
    try await Site.with { site in
      for port in [site.setting.sips, site.setting.https] {
        for garbage in [
          SystemRandom.bytes(2000), options(callID: "plain", from: anyPort, over: "TLS"), [22, 3, 1, 255, 255] + SystemRandom.bytes(500),
        ] {
          let peer = try await RawStream(to: port)
          peer.send(garbage)
          #expect(await peer.end(within: .seconds(14)) != nil)
          peer.close()
        }
      }
      let next = try await RawStream(to: site.setting.sips, tls: [])
      #expect(await next.isServed())
      next.close()
    }
  }

  // MARK: Time

  private var quick: ServerLimits {
    var limits = ServerLimits()
    limits.sip.firstMessage = .milliseconds(500)
    limits.sip.partialMessage = .milliseconds(700)
    limits.sip.idle = .seconds(2)
    limits.sip.listener.stream.handshake = .milliseconds(600)
    return limits
  }

  @Test func whoSaysNothingIsGone() async throws {
    try await Site.with(limits: quick) { site in
      let plain = try await RawStream(to: site.setting.sip)
      let secure = try await RawStream(to: site.setting.sips, tls: [])
      let halfway = try await RawStream(to: site.setting.sips)
      let idle = try await RawStream(to: site.setting.sip)
      #expect(await idle.isServed())
      for silent in [plain, secure, halfway, idle] { #expect(await silent.end() != nil) }
    }
  }

  @Test func aByteNowAndThenIsNoMessage() async throws {
    try await Site.with(limits: quick) { site in
      let peer = try await RawStream(to: site.setting.sip)
      peer.trickle(String(repeating: "OPTIONS sip:localhost SIP/2.0", count: 50), every: .milliseconds(100))
      let end = try #require(await peer.end())
      #expect(end > .milliseconds(400))
      let next = try await RawStream(to: site.setting.sip)
      #expect(await next.isServed())
      next.close()
    }
  }
}
