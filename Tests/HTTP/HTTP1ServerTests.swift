import HTTP
import Primitives
import Testing

@Suite struct HTTP1ServerTests {
  static let post =
    "POST /v1/x?y=z HTTP/1.1\r\nHost: plus.example.net\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
  static let chunked =
    "PUT /c HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
  static let get = "GET / HTTP/1.1\r\nHost: a:8443\r\n\r\n"

  @Test func readsARequest() throws {
    let run = ServerRun(Self.post)
    let request = try #require(run.requests.first)
    #expect(request.method == "POST")
    #expect(request.authority == "plus.example.net")
    #expect(request.path == "/v1/x?y=z")
    #expect(request.pathOnly == "/v1/x")
    #expect(request.query == "y=z")
    #expect(request.fields["CONTENT-TYPE"] == "application/json")
    #expect(request.body.text == "{\"a\":1}")
    #expect(run.output == "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n/v1/x?y=z")
    #expect(!run.isClosed)
  }

  @Test func readsChunks() {
    #expect(ServerRun(Self.chunked).requests.map(\.body.text) == ["abc0123456789"])
  }

  @Test(arguments: [post + get + chunked + get, post + post, "\r\n" + get])
  func piecesMakeNoDifference(_ text: String) {
    let whole = ServerRun(text)
    #expect(whole.refusals.isEmpty)
    #expect(ServerRun(text.slice.map { [$0] }) == whole)
    for cut in 0...text.utf8.count {
      #expect(ServerRun([text.slice.prefix(cut), text.slice.dropFirst(cut)]) == whole)
    }
  }

  @Test func answersPipelinedRequestsOneAfterTheOther() {
    var server = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    let both = (Self.get + Self.post).slice
    #expect(server.receive(both, now: .zero).count == 1)
    #expect(server.output().isEmpty)
    let next = server.respond(HTTPResponse(status: 204), now: .zero)
    #expect(next.count == 1)
    #expect(server.output().text == "HTTP/1.1 204 No Content\r\n\r\n")
  }

  @Test func tooMuchAheadEndsTheConnectionAfterTheResponse() {
    var limits = HTTPLimits()
    limits.pipelinedBytes = 100
    var server = HTTP1Server(scheme: "https", limits: limits, now: .zero)
    _ = server.receive((Self.get + String(repeating: Self.get, count: 10)).slice, now: .zero)
    #expect(server.respond(HTTPResponse(status: 204), now: .zero).isEmpty)
    #expect(server.output().text.contains("connection: close"))
    #expect(server.isClosed)
  }

  /// RFC 9112 §11.2 and what is known of request smuggling: each could be read in two ways, so none is read.
  @Test(arguments: [
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\n Content-Length: 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tb\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \r\n\r\n",
    "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\nHost: a\n\n",
    "POST / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nX: b\u{0}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nX: \u{7f}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1 2\r\nab\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n000000001\r\na\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: \r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET x HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /#f HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
    "GET /\r\nHost: a\r\n\r\n",
    "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / http/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/11\r\nHost: a\r\n\r\n",
    "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func refusesWhatCouldBeReadTwice(_ text: String) {
    for run in [ServerRun(text), ServerRun(text.slice.map { [$0] })] {
      #expect(run.requests.isEmpty)
      #expect(run.refusals.map(\.status) == [400])
      #expect(run.output.hasPrefix("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n"))
      #expect(run.isClosed)
    }
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
    ("GET /" + String(repeating: "x", count: 9000), 414),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 17000), 431),
    ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\n\r\n", 417),
  ])
  func answersWithTheRightStatus(_ text: String, _ status: Int) {
    #expect(ServerRun(text).refusals.map(\.status) == [status])
    #expect(ServerRun(text.slice.map { [$0] }).refusals.map(\.status) == [status])
  }

  @Test func theAbsoluteFormBeatsTheHost() {
    let run = ServerRun("GET HTTPS://A.example:8443?q HTTP/1.1\r\nHost: b\r\n\r\nOPTIONS http://c HTTP/1.1\r\nHost: c\r\n\r\n")
    #expect(run.requests.map(\.authority) == ["A.example:8443", "c"])
    #expect(run.requests.map(\.path) == ["/?q", "*"])
    #expect(run.requests.map(\.target) == ["HTTPS://A.example:8443?q", "http://c"])
  }

  @Test func continuesWhereTheBodyIsWaitedFor() {
    var server = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    _ = server.receive("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n".slice, now: .zero)
    #expect(server.output().text == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(server.receive("abc".slice, now: .zero).count == 1)
  }

  @Test func headGetsTheLengthAndNoBody() {
    #expect(ServerRun("HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n").output == "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n")
  }

  @Test func keepsAliveAsTheVersionSays() {
    #expect(ServerRun("GET / HTTP/1.0\r\n\r\n").isClosed)
    let kept = ServerRun("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
    #expect(!kept.isClosed)
    #expect(kept.output.contains("connection: keep-alive\r\n"))
    #expect(ServerRun("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").isClosed)
  }

  @Test func drainsAfterTheResponse() {
    var server = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    _ = server.receive(Self.get.slice, now: .zero)
    server.drain()
    #expect(!server.isClosed)
    _ = server.respond(HTTPResponse(status: 200), now: .zero)
    #expect(server.output().text.contains("connection: close\r\n"))
    #expect(server.isClosed)
    var idle = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    idle.drain()
    #expect(idle.isClosed)
  }

  @Test func streamsInChunks() {
    var server = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    _ = server.receive(Self.get.slice, now: .zero)
    server.sendHeaders(HTTPResponse(status: 200, fields: ["content-type": "text/event-stream"]))
    server.sendData(Array("data: 1\n\n".utf8))
    server.sendData([])
    _ = server.end(now: .zero)
    #expect(
      server.output().text
        == "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n")
  }

  @Test func noValueStartsAFieldOfItsOwn() {
    let fields: HTTPFields = ["x": "a\r\nset-cookie: b\u{0}"]
    #expect(fields["x"] == "a  set-cookie: b ")
  }

  @Test func slowClientsEnd() {
    var silent = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    #expect(silent.deadline == .ms(10_000))
    #expect(silent.deadlineReached(now: .ms(9_999)).isEmpty)
    #expect(silent.deadlineReached(now: .ms(10_000)).isEmpty)
    #expect(silent.isClosed)
    #expect(silent.output().isEmpty)

    var slow = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    for (second, byte) in Self.get.slice.prefix(9).enumerated() { _ = slow.receive([byte], now: .ms(Int64(second) * 1000)) }
    #expect(slow.deadlineReached(now: .ms(10_000)) == [.refused(.timedOut)])
    #expect(slow.output().text.hasPrefix("HTTP/1.1 408 "))

    var body = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    _ = body.receive(Self.post.slice.dropLast(), now: .ms(1000))
    #expect(body.deadlineReached(now: .ms(21_000)) == [.refused(.timedOut)])

    var idle = HTTP1Server(scheme: "https", limits: HTTPLimits(), now: .zero)
    _ = idle.receive(Self.get.slice, now: .zero)
    #expect(idle.deadline == .distantFuture)
    _ = idle.respond(HTTPResponse(status: 204), now: .ms(5000))
    #expect(idle.deadline == .ms(65_000))
  }
}
