import Endpoints
import HTTP
import Network
import Primitives
import Testing

@LoopActor
@Suite(.serialized) struct HTTPServerTests {
  private var shortLimits: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.http.headTime = .milliseconds(200)
    limits.http.bodyTime = .milliseconds(200)
    limits.http.idleTime = .milliseconds(200)
    limits.listener.stream.handshake = .milliseconds(200)
    limits.listener.stream.closing = .milliseconds(100)
    return limits
  }

  /// Sends the text a byte at a time, and waits for the server to end it.
  private func drip(_ text: String, into stream: any ByteStream) async -> Bool {
    let gone = HTTPSignal()
    stream.onEnd = { _ in gone.come() }
    stream.onBytes = { _ in }
    drip(Array(text.utf8)[...], into: stream)
    return await gone.wait(.seconds(5))
  }

  private func drip(_ bytes: Slice, into stream: any ByteStream) {
    guard let first = bytes.first else { return }
    stream.write([first])
    Loop.after(.milliseconds(30)) { drip(bytes.dropFirst(), into: stream) }
  }

  @Test(arguments: [
    ("http/1.1", ""), ("http/1.1", "GET / HTTP/1.1\r\nHost: localhost\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"), ("h2", ""),
    ("h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  ])
  func aSlowClientIsGone(_ alpn: String, _ text: String) async throws {
    let server = try HTTPTestServer(limits: shortLimits)
    #expect(await drip(text, into: try await server.connect(alpn: [alpn])))
    #expect(server.server.connectionCount == 0)
    #expect(server.seen.paths.isEmpty)
    await server.server.stop(within: .seconds(1))
  }

  @Test func aSlowBodyIsGone() async throws {
    var limits = shortLimits
    limits.http.headTime = .seconds(5)
    let server = try HTTPTestServer(isTLS: false, limits: limits)
    var refused: [HTTPError] = []
    server.server.onRefused = { refused.append($0) }
    let stream = try await server.connect(alpn: [])
    stream.write(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n".utf8))
    #expect(await drip(String(repeating: "x", count: 50), into: stream))
    #expect(refused == [.timedOut])
    await server.server.stop(within: .seconds(1))
  }

  @Test func whoMakesNoHandshakeIsGone() async throws {
    let server = try HTTPTestServer(limits: shortLimits)
    #expect(await drip("", into: try await Connector.connect(to: server.address)))
    await server.server.stop(within: .seconds(1))
  }

  @Test func onePeerGetsSoManyConnections() async throws {
    var limits = HTTPServerLimits()
    limits.listener.connectionsPerPeer = 2
    let server = try HTTPTestServer(isTLS: false, limits: limits)
    let first = try await server.connect(alpn: [])
    let second = try await server.connect(alpn: [])
    #expect(await drip("", into: try await server.connect(alpn: [])))
    #expect(server.server.refusedConnections == 1)
    first.close()
    second.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [["h2"], ["http/1.1"]]) func theFirstResponseCounts(_ alpn: [String]) async throws {
    let server = try HTTPTestServer { _, exchange in
      exchange.respond(HTTPResponse(status: 200))
      exchange.respond(HTTPResponse(status: 500))
      #expect(!exchange.isOpen)
    }
    let client = try server.client(alpn: alpn)
    for _ in 0..<3 { #expect(try await client.send(HTTPRequest(method: "GET", authority: "", path: "/")).status == 200) }
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [["h2"], ["http/1.1"]]) func theHandlerLearnsThatTheClientLeft(_ alpn: [String]) async throws {
    let gone = HTTPSignal()
    let server = try HTTPTestServer { request, exchange in
      exchange.onGone = { gone.come() }
      if request.path == "/" { exchange.respond(HTTPResponse(status: 200)) }
    }
    let client = try server.client(alpn: alpn)
    #expect(try await client.send(HTTPRequest(method: "GET", authority: "", path: "/")).status == 200)
    await #expect(throws: HTTPClientError.unknown(.timedOut)) {
      try await client.send(HTTPRequest(method: "GET", authority: "", path: "/held"), timeout: .milliseconds(300))
    }
    #expect(await gone.wait())
    client.close()
    await server.server.stop(within: .seconds(1))
  }

  @Test(arguments: [["h2"], ["http/1.1"]]) func stopsWhenTheLastResponseIsOut(_ alpn: [String]) async throws {
    let arrived = HTTPSignal()
    var held: HTTPExchange?
    let server = try HTTPTestServer { _, exchange in
      held = exchange
      arrived.come()
    }
    let client = try server.client(alpn: alpn)
    let answered = HTTPSignal()
    client.send(HTTPRequest(method: "GET", authority: "", path: "/")) { if case .success = $0 { answered.come() } }
    #expect(await arrived.wait())
    Loop.after(.milliseconds(50)) { held?.respond(HTTPResponse(status: 200)) }
    await server.server.stop(within: .seconds(5))
    #expect(await answered.wait(.seconds(1)))
    #expect(server.server.connectionCount == 0)
    await #expect(throws: HTTPClientError.notProcessed(.noConnection(.refused))) {
      try await client.send(HTTPRequest(method: "GET", authority: "", path: "/"))
    }
    client.close()
  }

  @Test func stopsByForceInTheEnd() async throws {
    let arrived = HTTPSignal()
    let server = try HTTPTestServer { _, _ in arrived.come() }
    let client = try server.client()
    client.send(HTTPRequest(method: "GET", authority: "", path: "/")) { _ in }
    #expect(await arrived.wait())
    await server.server.stop(within: .milliseconds(50))
    #expect(server.server.connectionCount == 0)
    client.close()
  }

  @Test func answersPipelinedRequestsInOrder() async throws {
    let server = try HTTPTestServer(isTLS: false)
    let stream = try await server.connect(alpn: [])
    let done = HTTPSignal()
    var text = ""
    stream.onBytes = {
      text += $0.text
      if text.hasSuffix("GET /c 0") { done.come() }
    }
    stream.write(Array(["/a", "/b", "/c"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined().utf8))
    #expect(await done.wait())
    #expect(server.seen.paths == ["/a", "/b", "/c"])
    stream.close()
    await server.server.stop(within: .seconds(1))
  }
}
