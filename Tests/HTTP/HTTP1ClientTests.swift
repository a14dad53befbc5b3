import HTTP
import Primitives
import Testing

@Suite struct HTTP1ClientTests {
  static func run(_ pieces: [Slice], method: String = "GET", end: Bool = true) -> (events: [HTTP1Client.Event], isIdle: Bool) {
    var client = HTTP1Client(limits: HTTPLimits())
    guard client.send(HTTPRequest(method: method, authority: "a", path: "/")) else { return ([], false) }
    var events: [HTTP1Client.Event] = []
    for piece in pieces { events += client.receive(piece) }
    let isIdle = client.isIdle
    return (end ? events + client.receiveEnd() : events, isIdle)
  }

  @Test func writesARequest() {
    var client = HTTP1Client(limits: HTTPLimits())
    let request = HTTPRequest(
      method: "POST", authority: "a:1", path: "/x?y", fields: ["X-Y": "z", "content-length": "9"], body: Array("abc".utf8))
    let sent = [client.send(request), client.send(request)]
    #expect(sent == [true, false])
    #expect(client.output().text == "POST /x?y HTTP/1.1\r\nhost: a:1\r\nx-y: z\r\ncontent-length: 3\r\n\r\nabc")
  }

  @Test(arguments: [("GET ", "a", "/"), ("GET", "a\r\n", "/"), ("GET", "a", "/ HTTP/1.1\r\n"), ("GET", "a", "x"), ("GET", "", "/")])
  func refusesToSendWhatReadsAsSomethingElse(_ method: String, _ authority: String, _ path: String) {
    var client = HTTP1Client(limits: HTTPLimits())
    let isSent = client.send(HTTPRequest(method: method, authority: authority, path: path))
    #expect(!isSent)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", "abc", true),
    (
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\na: b\r\n\r\nHTTP/1.1 200\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "abc", true
    ),
    ("HTTP/1.1 204 No Content\r\n\r\n", "", true),
    ("HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nabc", "abc", false),
    ("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc", "abc", false),
    ("HTTP/1.1 200 OK\r\n\r\nabc", "abc", false),
  ])
  func readsResponses(_ text: String, _ body: String, _ isIdle: Bool) throws {
    for cut in 0...text.utf8.count {
      let run = Self.run([text.slice.prefix(cut), text.slice.dropFirst(cut)])
      guard case .response(let response)? = run.events.first else { throw HTTPError.cutShort }
      #expect(response.body.text == body)
      #expect(run.isIdle == isIdle)
      #expect(run.events.count == 1)
    }
  }

  @Test func theResponseToHeadHasNoBody() {
    let run = Self.run(["HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n".slice], method: "HEAD", end: false)
    #expect(run.events.count == 1)
    #expect(run.isIdle)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n", "",
    "HTTP/1.1 101 x\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
    "SIP/2.0 200 OK\r\n\r\n",
    "HTTP/1.1 200 OK\r\na : b\r\n\r\n",
  ])
  func failsOnce(_ text: String) {
    let events = Self.run(text.slice.map { [$0] }).events
    #expect(events.count == 1)
    if case .response = events.first { Issue.record("a response was made of it") }
  }

  @Test func bytesAfterTheResponseEndTheConnection() {
    let run = Self.run(["HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n".slice], end: false)
    #expect(run.events.count == 1)
    #expect(!run.isIdle)
  }
}
