import Primitives
import Testing
import TestKit

@testable import Network

@LoopActor
@Suite struct ResolverTests {
  @Test(.enabled(if: NameServer.isInstalled, "knotd is not installed"))
  func aRealNameServerAnswers() async throws {
    let server = try NameServer()
    try await server.start()
    defer { server.stop() }
    let resolver = try Resolver(servers: [server.address])
    let both = try await resolver.addresses(of: "both.example.org")
    #expect(Set(both.map(\.text)) == ["192.0.2.1", "192.0.2.2", "2001:db8::1"])
    #expect(both.last?.isIPv6 == true)
    #expect(try await resolver.addresses(of: "four.example.org").map(\.text) == ["192.0.2.4"])
    #expect(try await resolver.addresses(of: "ALIAS.example.org.").count == 3)
    let services = try await resolver.srv("_sip._udp.example.org")
    #expect(services.count == 3)
    #expect(services.contains(SRVRecord(priority: 10, weight: 40, port: 5070, target: "four.example.org")))
    let pointers = try await resolver.naptr("example.org")
    #expect(pointers.map(\.service) == ["SIPS+D2T", "SIP+D2U"])
    #expect(pointers.first?.replacement == "_sips._tcp.example.org")
    await #expect(throws: NetworkError.nameNotFound) { try await resolver.addresses(of: "missing.example.org") }
    await #expect(throws: NetworkError.nameNotFound) { try await resolver.srv("_sip._tcp.example.org") }
    await #expect(throws: NetworkError.nameNotFound) { try await resolver.naptr("both.example.org") }

    // What holds is kept: the server is gone, the answer stays, also the answer "no".
    server.stop()
    _ = await Once<Bool>().wait(.milliseconds(50))
    #expect(try await resolver.srv("_sip._udp.example.org") == services)
    await #expect(throws: NetworkError.nameNotFound) { try await resolver.addresses(of: "missing.example.org") }
    let expires = await withCheckedContinuation { answer in
      resolver.srv("_sip._udp.example.org") { answer.resume(returning: try? $0.get().expires) }
    }
    let left = try #require(expires) - Loop.now()
    #expect(left > .seconds(30) && left <= .seconds(60))
  }

  @Test func aServerThatIsSilentTimesOut() async throws {
    let silent = try UDPSocket(bind: anyPort) { _, _ in }
    let resolver = try Resolver(servers: [silent.local], limits: .short)
    await #expect(throws: NetworkError.timedOut) { try await resolver.srv("_sip._udp.example.org") }
    silent.close()
  }

  @Test func garbageIsNoAnswer() async throws {
    var reply: UDPSocket?
    let server = try UDPSocket(bind: anyPort) { query, from in
      // The right id and question, three answers announced and none there.
      var bytes = Array(query)
      bytes[2] |= 0x80
      bytes[7] = 3
      reply?.send(bytes, to: from)
    }
    reply = server
    let resolver = try Resolver(servers: [server.local], limits: .short)
    await #expect(throws: NetworkError.self) { try await resolver.naptr("example.org") }
    server.close()
    reply = nil
  }

  @Test func literalsAndTheHostsFileNeedNoServer() async throws {
    let silent = try UDPSocket(bind: anyPort) { _, _ in Issue.record("a question was asked") }
    let resolver = try Resolver(servers: [silent.local], limits: .short)
    #expect(try await resolver.addresses(of: "192.0.2.77").map(\.text) == ["192.0.2.77"])
    #expect(try await resolver.addresses(of: "[2001:db8::7]").map(\.text) == ["2001:db8::7"])
    #expect(try await resolver.addresses(of: "localhost").contains(.loopbackIPv4))
    silent.close()
  }

  @Test func oneQuestionForAllWhoAsk() async throws {
    var questions = 0
    let silent = try UDPSocket(bind: anyPort) { _, _ in questions += 1 }
    var limits = ResolverLimits.short
    limits.questionsInFlight = 1
    let resolver = try Resolver(servers: [silent.local], limits: limits)
    let all = Once<[NetworkError]>()
    var errors: [NetworkError] = []
    for name in ["a.example.org", "a.example.org", "b.example.org"] {
      resolver.srv(name) {
        if case .failure(let error) = $0 { errors.append(error) }
        if errors.count == 3 { all.came(errors) }
      }
    }
    let heard = await all.wait() ?? []
    // The third is over the limit.
    #expect(heard.filter { $0 == .limitReached }.count == 1)
    #expect(heard.filter { $0 == .timedOut }.count == 2)
    // c-ares asks twice.
    #expect(questions <= 2)
    silent.close()
  }

  @Test func closingEndsWhatIsInFlight() async throws {
    let silent = try UDPSocket(bind: anyPort) { _, _ in }
    let resolver = try Resolver(servers: [silent.local])
    let ended = Once<NetworkError>()
    resolver.srv("_sip._udp.example.org") { if case .failure(let error) = $0 { ended.came(error) } }
    resolver.close()
    #expect(await ended.wait() == .closed)
    silent.close()
  }
}
