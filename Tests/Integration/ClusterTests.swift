import Network
import PhoneContract
import PhoneKit
import Primitives
import TestKit
import Testing

/// A cluster over a real Redis, and the death of the node that matters.
@LoopActor
@Suite struct ClusterTests {
  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func aRingingCallOutlivesItsNode(_ transport: TransportChoice) async throws {
    try await ClusterSite.with { site in
      let phone = try await site.registered("outlives-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .talks(for: 300))
      try await phone.rings()
      let home = try await site.owner(of: phone.user)
      site.kill(home)
      let rest = try phone.asking(site.nodes[0].setting.https)
      try await rest.answer()
      #expect(try await rest.ending() == .hungUp)
      #expect(await caller.complaint() == nil)
      #expect(phone.heard.count == 1, "told once, and never to stop")
      let owner = try await site.owner(of: phone.user)
      #expect(owner.name != home.name)
    }
  }

  @Test(arguments: [TransportChoice.udp, .tcp, .tls]) func anAnsweredCallOutlivesItsNode(_ transport: TransportChoice) async throws {
    try await ClusterSite.with { site in
      let phone = try await site.registered("talks-on-\(transport.rawValue)", over: transport)
      let caller = try site.call(phone.user, .listensThroughTakeover)
      try await phone.rings()
      let home = try await site.owner(of: phone.user)
      try await phone.asking(home.setting.https).answer()
      // Until the store has heard of the ACK too: before that the next home asks the caller in another way, which sipp does not play.
      try await Task.sleep(for: .milliseconds(500))
      site.kill(home)
      let rest = try phone.asking(site.nodes[1].setting.https)
      // The status request waits for the next home, and shows that the call lives.
      #expect(try await rest.client.status(of: .one, after: 0, wait: 1).events.allSatisfy { !$0.kind.isEnd })
      try await rest.client.hangUp(.one)
      #expect(await caller.complaint() == nil)
      #expect(phone.heard.count == 1)
    }
  }

  /// For as long as Redis is away the call's home serves its phone, and no other node does.
  @Test func anAnsweredCallDoesNotNeedRedis() async throws {
    try await ClusterSite.with { site in
      let phone = try await site.registered("without-redis", over: .udp)
      let caller = try site.call(phone.user, .listens)
      try await phone.rings()
      let home = try await site.owner(of: phone.user)
      let atHome = try phone.asking(home.setting.https)
      try await atHome.answer()
      await site.endRedis()
      // Until it has noticed. A node that is slow to hear its peers asks for another try.
      try await Task.sleep(for: .seconds(3))
      let status = await eventually(within: .seconds(20)) {
        try? await atHome.client.status(of: .one, after: 0, wait: 1)
      } until: {
        $0 != nil
      }
      #expect(status?.events.allSatisfy { !$0.kind.isEnd } == true)
      let elsewhere = try phone.asking(try #require(site.nodes.first { $0.name != home.name }).setting.https)
      await #expect(throws: PhoneError.self) { try await elsewhere.client.status(of: .one, after: 0, wait: 1) }
      let hasHungUp = await eventually(within: .seconds(20)) {
        (try? await atHome.client.hangUp(.one)) != nil
      } until: {
        $0
      }
      #expect(hasHungUp)
      #expect(await caller.complaint() == nil)
    }
  }

  @Test(.enabled(if: Browser.isInstalled, "chromium is not installed")) func itsPageInABrowser() async throws {
    try await ClusterSite.with { site in
      _ = try await site.registered("shown", over: .udp)
      let page = try await Browser.show(site.nodes[1].setting.admin)
      for node in site.nodes { #expect(page.contains(node.name)) }
      #expect(page.contains("<polyline") && page.contains(#"class="badge">ready<"#))
    }
  }
}
