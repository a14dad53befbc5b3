import HTTP
import Primitives
import Testing

@Suite struct HTTP2EndTests {
  @Test func drainsWithoutLosingARequest() throws {
    let pair = HTTP2Pair()
    pair.run()
    _ = pair.client.send(HTTP2Pair.get("/before"))
    pair.run()
    pair.server.drain()
    pair.run()
    #expect(pair.clientEvents.contains(.goAway))
    #expect(!pair.client.canSend)
    #expect(!pair.server.isOver)
    pair.server.respond(HTTPResponse(status: 200), on: try #require(pair.requests.first?.id), now: .zero)
    pair.run()
    #expect(pair.responses.count == 1)
    #expect(pair.server.isOver)
    #expect(pair.client.isOver)
  }

  /// The request is on its way while the server says that it ends: the first GOAWAY still lets it in.
  @Test func aRequestThatCrossesTheGoAwayIsServed() throws {
    let pair = HTTP2Pair()
    pair.run()
    pair.server.drain()
    _ = pair.client.send(HTTP2Pair.get("/crossing"))
    pair.run()
    #expect(pair.requests.map(\.request.path) == ["/crossing"])
  }

  @Test func whatTheServerDidNotProcessMayBeSentAgain() throws {
    let pair = HTTP2Pair()
    pair.run()
    pair.server.end(.noError)
    let goAway = pair.server.output()
    _ = pair.client.send(HTTP2Pair.get())
    _ = pair.client.output()
    pair.clientEvents += pair.client.receive(goAway[...], now: .zero)
    #expect(pair.ended == [.notProcessed])
  }

  @Test func aRequestQueuedWhenTheGoAwayComesIsNotProcessed() throws {
    let pair = HTTP2Pair()
    pair.run()
    pair.server.end(.noError)
    let goAway = pair.server.output()
    _ = pair.client.send(HTTP2Pair.get())
    pair.clientEvents += pair.client.receive(goAway[...], now: .zero)
    _ = pair.client.output()
    pair.clientEvents += pair.client.receive([], now: .zero)
    #expect(pair.ended == [.notProcessed])
  }

  @Test func aLostConnectionEndsEveryStream() {
    let pair = HTTP2Pair()
    pair.run()
    for _ in 0..<3 { _ = pair.client.send(HTTP2Pair.get()) }
    pair.run()
    #expect(pair.client.connectionLost().count == 3)
    #expect(pair.server.connectionLost().count == 3)
    #expect(pair.client.isOver)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}x"])
  func somethingElseThanHTTP2EndsTheSession(_ text: String) {
    let server = HTTP2Session(role: .server, limits: HTTPLimits(), now: .zero)
    _ = server.receive(text.slice, now: .zero)
    _ = server.output()
    #expect(server.isOver)
  }

  @Test func slowClientsEnd() throws {
    let silent = HTTP2Pair()
    #expect(silent.server.deadline == .ms(10_000))
    _ = silent.server.deadlineReached(now: .ms(10_000))
    _ = silent.server.output()
    #expect(silent.server.isOver)

    let idle = HTTP2Pair()
    idle.run()
    #expect(idle.server.deadline == .ms(60_000))

    let body = HTTP2Pair()
    body.run()
    _ = body.client.send(HTTP2Pair.post(40_000))
    let part = body.client.output()
    _ = body.server.receive(part.dropLast(5_000), now: .ms(1000))
    #expect(body.server.deadline == .ms(21_000))
    #expect(body.server.deadlineReached(now: .ms(21_000)) == [.refused(.timedOut)])
    body.run()
    #expect(body.responses.map(\.status) == [408])
    // The rest of the body may still come, for as long as the response may take.
    _ = body.server.deadlineReached(now: .ms(51_000))
    #expect(body.server.openStreams == 0)
  }

  @Test func aHeadInPiecesEndsTheConnection() {
    let pair = HTTP2Pair()
    pair.run()
    _ = pair.client.send(HTTP2Pair.get())
    var head = pair.client.output()
    // Without END_HEADERS the rest would come in CONTINUATION frames.
    head[4] &= ~4
    _ = pair.server.receive(head[...], now: .zero)
    #expect(pair.server.deadlineReached(now: pair.server.deadline) == [.refused(.timedOut)])
    _ = pair.server.output()
    #expect(pair.server.isOver)
  }

  @Test func aResponseThatNobodyTakesIsReset() throws {
    let pair = HTTP2Pair()
    pair.run()
    let id = try #require(pair.client.send(HTTP2Pair.get()))
    pair.run()
    pair.server.respond(HTTPResponse(status: 200, body: Bytes(repeating: 1, count: 200_000)), on: id, now: .ms(1000))
    _ = pair.server.output()
    #expect(pair.server.deadline == .ms(31_000))
    #expect(pair.server.deadlineReached(now: .ms(31_000)) == [.streamEnded(id, .reset(.cancel))])
    #expect(pair.server.openStreams == 0)
  }
}
