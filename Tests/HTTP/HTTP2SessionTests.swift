import HTTP
import Primitives
import Testing

@Suite struct HTTP2SessionTests {
  @Test(arguments: [1, 3, 17, Int.max]) func carriesRequestAndResponse(_ pieces: Int) throws {
    let pair = HTTP2Pair()
    pair.pieces = pieces
    #expect(pair.client.send(HTTP2Pair.post(64 * 1024)) != nil)
    pair.run()
    let (request, id) = try #require(pair.requests.first)
    #expect(request.method == "POST")
    #expect(request.authority == "a.example")
    #expect(request.path == "/x?y=z")
    #expect(request.fields["x-a"] == "b")
    #expect(request.body.count == 64 * 1024)
    pair.server.respond(
      HTTPResponse(status: 200, fields: ["content-type": "x"], body: Bytes(repeating: 66, count: 60_000)), on: id, now: .zero)
    pair.run()
    #expect(pair.responses.map(\.status) == [200])
    #expect(pair.responses.first?.body.count == 60_000)
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
  }

  @Test func carriesManyStreamsOutOfOrder() {
    let pair = HTTP2Pair()
    pair.run()
    for number in 0..<100 { #expect(pair.client.send(HTTP2Pair.get("/\(number)")) != nil) }
    #expect(!pair.client.canSend)
    pair.run()
    for (request, id) in pair.requests.reversed() {
      pair.server.respond(HTTPResponse(status: 200, body: Array(request.path.utf8)), on: id, now: .zero)
    }
    pair.run()
    #expect(Set(pair.responses.map(\.body.text)) == Set((0..<100).map { "/\($0)" }))
    #expect(pair.client.canSend)
  }

  @Test func opensOneStreamUntilThePeerHasSpoken() {
    var limits = HTTPLimits()
    limits.streams = 1
    let pair = HTTP2Pair(server: limits)
    #expect(pair.client.send(HTTP2Pair.get()) != nil)
    #expect(pair.client.send(HTTP2Pair.get()) == nil)
    pair.run()
    #expect(pair.clientEvents.contains(.streamsAllowed(1)))
    #expect(!pair.client.canSend)
    #expect(pair.ended.isEmpty)
  }

  @Test func answersHeadAndEmptyStatuses() throws {
    let pair = HTTP2Pair()
    pair.run()
    _ = pair.client.send(HTTPRequest(method: "HEAD", authority: "a", path: "/"))
    _ = pair.client.send(HTTP2Pair.get())
    pair.run()
    let ids = pair.requests.map(\.id)
    pair.server.respond(HTTPResponse(status: 200, body: [1, 2, 3]), on: ids[0], now: .zero)
    pair.server.respond(HTTPResponse(status: 204, body: [1]), on: ids[1], now: .zero)
    pair.run()
    #expect(pair.responses.map(\.status) == [200, 204])
    #expect(pair.responses.map(\.body) == [[], []])
    #expect(pair.responses.first?.fields["content-length"] == "3")
  }

  @Test func streamsAResponse() throws {
    let pair = HTTP2Pair()
    _ = pair.client.send(HTTP2Pair.get())
    pair.run()
    let id = try #require(pair.requests.first?.id)
    pair.server.sendHeaders(HTTPResponse(status: 200), on: id)
    pair.run()
    for part in ["data: 1\n\n", "data: 2\n\n"] {
      #expect(pair.server.sendData(Array(part.utf8), on: id))
      pair.run()
      #expect(pair.responses.isEmpty)
    }
    pair.server.end(id, now: .zero)
    pair.run()
    #expect(pair.responses.first?.body.text == "data: 1\n\ndata: 2\n\n")
  }

  @Test func refusesABodyThatIsTooLarge() throws {
    let pair = HTTP2Pair()
    _ = pair.client.send(HTTP2Pair.post(64 * 1024 + 1))
    pair.run()
    #expect(pair.requests.isEmpty)
    #expect(pair.serverEvents.contains(.refused(.bodyTooLarge)))
    #expect(pair.responses.map(\.status) == [413])
    #expect(pair.server.openStreams == 0)
    _ = pair.client.send(HTTP2Pair.get())
    pair.run()
    #expect(pair.requests.count == 1)
  }

  @Test func resetsARefusedBodyThatDoesNotEnd() {
    var limits = HTTPLimits()
    limits.discardedBytes = 50_000
    let pair = HTTP2Pair(server: limits)
    _ = pair.client.send(HTTP2Pair.post(300_000))
    pair.run()
    #expect(pair.serverEvents.contains(.refused(.bodyTooLarge)))
    #expect(pair.server.openStreams == 0)
    #expect(!pair.server.isOver)
  }

  @Test func refusesTooManyFields() {
    let pair = HTTP2Pair()
    pair.run()
    var many = HTTP2Pair.get()
    for number in 0...100 { many.fields.append("x-\(number)", "y") }
    var large = HTTP2Pair.get()
    large.fields.append("x", String(repeating: "y", count: 30_000))
    _ = pair.client.send(many)
    _ = pair.client.send(large)
    pair.run()
    #expect(pair.responses.map(\.status) == [431, 431])
    #expect(!pair.server.isOver)
  }

  @Test func aClientGivesUpOnAResponseThatIsTooLarge() throws {
    let pair = HTTP2Pair()
    _ = pair.client.send(HTTP2Pair.get())
    pair.run()
    pair.server.respond(
      HTTPResponse(status: 200, body: Bytes(repeating: 1, count: 70_000)), on: try #require(pair.requests.first?.id), now: .zero)
    pair.run()
    #expect(pair.ended == [.refused(.bodyTooLarge)])
    #expect(pair.client.canSend)
  }

  @Test func tellsTheServerThatNobodyWaits() throws {
    let pair = HTTP2Pair()
    let id = try #require(pair.client.send(HTTP2Pair.get()))
    pair.run()
    pair.client.cancel(id)
    pair.run()
    #expect(pair.serverEvents.contains(.streamEnded(id, .reset(.cancel))))
    #expect(pair.clientEvents.allSatisfy { if case .streamEnded = $0 { false } else { true } })
  }

  @Test func resetsInARowEndTheConnection() throws {
    let pair = HTTP2Pair()
    pair.run()
    for _ in 0..<300 where pair.client.canSend {
      if let id = pair.client.send(HTTP2Pair.get()) {
        _ = pair.client.output().isEmpty ? [] : pair.serverEvents
        pair.client.cancel(id)
      }
      pair.run()
    }
    #expect(pair.server.isOver)
    #expect(pair.clientEvents.contains(.goAway))
  }

  @Test func pingsAreCounted() {
    var limits = HTTPLimits()
    limits.idleFrameBurst = 20
    let pair = HTTP2Pair(server: limits)
    for _ in 0..<10 { pair.client.ping() }
    pair.run()
    #expect(pair.clientEvents.filter { $0 == .pong }.count == 10)
    for _ in 0..<30 { pair.client.ping() }
    pair.run()
    #expect(pair.server.isOver)
  }
}
