import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import TestKit
import Testing

@LoopActor
@Suite(.serialized) struct HTTPClientTests {
  private func get(_ path: String = "/") -> HTTPRequest { HTTPRequest(method: "GET", authority: "", path: path) }

  /// Sends them all at once and gives the bodies and failures, in order.
  private func sendMany(_ count: Int, over client: HTTPClient) async -> [Result<String, HTTPClientError>] {
    var results = [Result<String, HTTPClientError>?](repeating: nil, count: count)
    let done = HTTPSignal()
    for number in 0..<count {
      client.send(get("/\(number)")) {
        results[number] = $0.map(\.body.text)
        if results.allSatisfy({ $0 != nil }) { done.come() }
      }
    }
    _ = await done.wait()
    return results.compactMap(\.self)
  }

  private func expected(_ count: Int) -> [Result<String, HTTPClientError>] { (0..<count).map { .success("GET /\($0) 0") } }

  @Test func sendsManyOverOneConnection() async throws {
    let server = try HTTPTestServer()
    let client = try server.client()
    #expect(await sendMany(300, over: client) == expected(300))
    #expect(server.server.connectionCount == 1)
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func obeysAServerThatAllowsOneStream() async throws {
    var limits = HTTPServerLimits()
    limits.http.streams = 1
    let server = try HTTPTestServer(limits: limits)
    let client = try server.client()
    #expect(await sendMany(20, over: client) == expected(20))
    #expect(server.server.connectionCount == 1)
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [true, false]) func fallsBackToHTTP1(_ isTLS: Bool) async throws {
    let server = try HTTPTestServer(isTLS: isTLS, alpn: ["http/1.1"])
    let client = try server.client()
    #expect(await sendMany(20, over: client) == expected(20))
    #expect(server.server.connectionCount <= 4)
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func carriesBodies() async throws {
    let server = try HTTPTestServer { request, exchange in exchange.respond(HTTPResponse(status: 201, body: request.body)) }
    let client = try server.client()
    var request = get("/x")
    request.method = "PUT"
    request.body = Bytes(repeating: 7, count: 65_536)
    let response = try await client.send(request)
    #expect(response.status == 201)
    #expect(response.body == request.body)
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func aFullQueueSaysSo() async throws {
    let server = try HTTPTestServer { _, _ in }
    var limits = HTTPClientLimits()
    limits.queued = 2
    let client = try server.client(limits: limits)
    for _ in 0..<2 { client.send(get()) { _ in } }
    await #expect(throws: HTTPClientError.notProcessed(.queueFull)) { try await client.send(get()) }
    client.close()
    await server.server.stop(within: .milliseconds(50))
  }

  @Test func whatWaitsCanBeWithdrawn() async throws {
    let server = try HTTPTestServer()
    let client = try server.client()
    let call = client.send(get()) { _ in Issue.record("a request that was withdrawn has no outcome") }
    #expect(call.withdraw())
    #expect(!call.withdraw())
    #expect(client.queuedCount == 0)
    #expect(try await client.send(get("/next")).body.text == "GET /next 0")
    #expect(server.seen.paths == ["/next"])
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  /// Nobody may be left waiting for the outcome of what the server has seen.
  @Test(arguments: [true, false]) func whatTheServerHasSeenGoesOnToItsOutcome(_ isHTTP2: Bool) async throws {
    var answer: (() -> Void)?
    let (arrived, done) = (HTTPSignal(), HTTPSignal())
    let server = try HTTPTestServer(alpn: [isHTTP2 ? "h2" : "http/1.1"]) { request, exchange in
      answer = { exchange.respond(HTTPTestServer.echo(request)) }
      arrived.come()
    }
    let client = try server.client()
    let call = client.send(get()) { result in
      #expect(result.map(\.status) == .success(200))
      done.come()
    }
    #expect(await arrived.wait())
    #expect(!call.withdraw())
    answer?()
    #expect(await done.wait())
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func verifiesTheServer() async throws {
    let server = try HTTPTestServer()
    let client = try server.client(host: "example.net")
    await #expect(throws: HTTPClientError.notProcessed(.noConnection(.tls(.certificate(.wrongName))))) { try await client.send(get()) }
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [true, false]) func connectsAgainAfterTheServerStopped(_ isTLS: Bool) async throws {
    let first = try HTTPTestServer(isTLS: isTLS)
    let client = try first.client()
    #expect(try await client.send(get()).status == 200)
    await first.server.stop(within: .seconds(1))
    let second = try HTTPTestServer(isTLS: isTLS, like: first)
    #expect(try await client.send(get()).status == 200)
    client.close()
    await second.server.stop(within: .seconds(1))
  }

  @Test func whatACertainlyDeadServerDidNotGetMayBeSentAgain() async throws {
    let server = try HTTPTestServer()
    let client = try server.client()
    await server.server.stop(within: .seconds(1))
    let results = await sendMany(3, over: client)
    #expect(results == Array(repeating: .failure(.notProcessed(.noConnection(.refused))), count: 3))
    client.close()
  }

  /// A server that takes bytes and says nothing.
  @Test func aConnectionThatDoesNotAnswerAPingIsEnded() async throws {
    let (certificate, key) = try SelfSignedCertificate.make(names: [], addresses: [.loopbackIPv4])
    let tls = try TLSContext.server(certificatePEM: certificate, keyPEM: key, alpn: ["h2"])
    let listener = try TCPListener(bind: SocketAddress(ip: .loopbackIPv4, port: 0), tls: tls) { $0.onBytes = { _ in } }
    var limits = HTTPClientLimits()
    limits.pingAfter = .milliseconds(50)
    limits.pongWithin = .milliseconds(50)
    let origin = HTTPOrigin(scheme: .https, host: "127.0.0.1", port: listener.local.port)
    let client = HTTPClient(origin: origin, tls: try .client(trust: .pem(certificate), alpn: ["h2"]), limits: limits)
    await #expect(throws: HTTPClientError.unknown(.connectionLost)) { try await client.send(get()) }
    client.close()
    listener.close()
  }

  @Test func anAbortedClientFailsAtOnce() async throws {
    let (arrived, failed) = (HTTPSignal(), HTTPSignal())
    let server = try HTTPTestServer { _, _ in arrived.come() }
    let client = try server.client()
    client.onConnectionLost = { Issue.record("it was not lost") }
    client.send(get(), timeout: .seconds(60)) { if $0 == .failure(.unknown(.connectionLost)) { failed.come() } }
    #expect(await arrived.wait())
    client.abort()
    #expect(await failed.wait(.seconds(2)))
    await #expect(throws: HTTPClientError.notProcessed(.closed)) { try await client.send(get()) }
    await server.server.stop(within: .milliseconds(50))
  }

  @Test func tellsThatAConnectionWasLost() async throws {
    let server = try HTTPTestServer()
    let client = try server.client()
    let lost = HTTPSignal()
    client.onConnectionLost = { lost.come() }
    #expect(try await client.send(get()).status == 200)
    server.server.abortConnections()
    #expect(await lost.wait())
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func aServerMayEndWhoIsSilentForLong() async throws {
    var limits = HTTPServerLimits()
    limits.silence = .milliseconds(200)
    let server = try HTTPTestServer(limits: limits) { _, _ in }
    let client = try server.client()
    await #expect(throws: HTTPClientError.unknown(.connectionLost)) { try await client.send(get(), timeout: .seconds(60)) }
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test func pingsKeepAnIdleConnection() async throws {
    let server = try HTTPTestServer()
    var limits = HTTPClientLimits()
    limits.pingAfter = .milliseconds(30)
    limits.pongWithin = .milliseconds(500)
    let client = try server.client(limits: limits)
    #expect(try await client.send(get()).status == 200)
    #expect(await HTTPSignal().wait(.milliseconds(200)) == false)
    #expect(try await client.send(get()).status == 200)
    #expect(server.server.connectionCount == 1)
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [
    ("https://plus.example.net", "plus.example.net", 443, "plus.example.net"), ("http://a:8080/", "a", 8080, "a:8080"),
    ("https://[::1]:8443", "::1", 8443, "[::1]:8443"), ("https://[::1]", "::1", 443, "[::1]"),
  ])
  func readsOrigins(_ text: String, _ host: String, _ port: UInt16, _ authority: String) throws {
    let origin = try #require(HTTPOrigin(text))
    #expect(origin.host == host)
    #expect(origin.port == port)
    #expect(origin.authority == authority)
  }

  @Test(arguments: ["ftp://a", "https://", "https://a/b", "https://u@a", "https://a:0", "https://a:x", "https://[::1", "a"])
  func refusesWhatIsNoOrigin(_ text: String) { #expect(HTTPOrigin(text) == nil) }

  @Test(.enabled(if: NameServer.isInstalled, "knotd is not installed"))
  func whereTheServerCannotServeAnotherAddressIsTried() async throws {
    let names = try NameServer()
    try await names.start()
    defer { names.stop() }
    let first = try answering("one", at: .loopbackIPv4, port: 0)
    let port = try #require(first.local).port
    let second = try answering("two", at: try #require(IPAddress("127.0.0.2")), port: port)
    let origin = HTTPOrigin(scheme: .http, host: "pair.example.org", port: port)
    let client = HTTPClient(origin: origin, tls: nil, resolver: try Resolver(servers: [names.address]))
    var heard: [String] = []
    for _ in 0..<3 {
      heard.append(try await client.send(get()).body.text)
      heard.append(try await client.send(get()).body.text)
      client.tryElsewhere()
    }
    #expect(heard[0] != heard[2] && heard == [heard[0], heard[0], heard[2], heard[2], heard[0], heard[0]])
    client.close()
    for server in [first, second] { await server.stop(within: .seconds(1)) }
  }

  private func answering(_ name: String, at ip: IPAddress, port: UInt16) throws -> HTTPServer {
    try HTTPServer(listen: SocketAddress(ip: ip, port: port), tls: nil) { $1.respond(HTTPResponse(status: 200, body: Array(name.utf8))) }
  }
}
