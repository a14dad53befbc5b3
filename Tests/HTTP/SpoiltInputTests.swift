import HTTP
import Primitives
import Testing

/// Good input with bytes changed, left out and repeated: whatever comes of it, it is an answer or an end, and nothing grows.
@Suite struct SpoiltInputTests {
  private func spoilt(_ bytes: Bytes, _ random: inout SeededRandom) -> Bytes {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      default: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
      }
      if bytes.isEmpty { bytes = [0] }
    }
    return bytes
  }

  @Test(arguments: 0..<8) func http1(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let good = Array((HTTP1ServerTests.post + HTTP1ServerTests.chunked + HTTP1ServerTests.get).utf8)
    for _ in 0..<50 {
      let bytes = spoilt(good, &random)
      let whole = ServerRun([bytes[...]])
      #expect(ServerRun(bytes.map { [$0] }) == whole)
      #expect(whole.refusals.isEmpty || whole.isClosed)
    }
  }

  @Test(arguments: 0..<8) func http2(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let client = HTTP2Session(role: .client, limits: HTTPLimits(), now: .zero)
    _ = client.send(HTTP2Pair.post(300))
    let good = client.output()
    for _ in 0..<100 {
      let server = HTTP2Session(role: .server, limits: HTTPLimits(), now: .zero)
      let events = server.receive(spoilt(good, &random)[...], now: .zero)
      for case .request(let request, let id) in events {
        #expect(request.body.count <= 64 * 1024)
        server.respond(HTTPResponse(status: 204), on: id, now: .zero)
      }
      _ = server.output()
      #expect(server.isOver || server.deadline < .distantFuture)
    }
  }

  /// The other direction: a client and what a spoilt server says.
  @Test(arguments: 0..<8) func http2Client(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pair = HTTP2Pair()
    _ = pair.client.send(HTTP2Pair.get())
    _ = pair.server.receive(pair.client.output()[...], now: .zero)
    pair.server.respond(HTTPResponse(status: 200, fields: ["x": "y"], body: [1, 2, 3]), on: 1, now: .zero)
    let good = pair.server.output()
    for _ in 0..<100 {
      let client = HTTP2Session(role: .client, limits: HTTPLimits(), now: .zero)
      _ = client.send(HTTP2Pair.get())
      _ = client.output()
      let events = client.receive(spoilt(good, &random)[...], now: .zero) + client.connectionLost()
      let ends = events.filter {
        switch $0 {
        case .response, .streamEnded: true
        default: false
        }
      }
      #expect(ends.count == 1)
    }
  }

  @Test func aMessageShowsNothingOfItsContent() {
    let request = HTTPRequest(method: "POST", authority: "a", path: "/3/device/secret", fields: ["x": "secret"], body: Array("secret".utf8))
    let response = HTTPResponse(status: 200, fields: ["x": "secret"], body: Array("secret".utf8))
    for text in [
      "\(request)", "\(response)", String(reflecting: request), "\(request.fields)", "\(HTTP2Session.Event.request(request, on: 1))",
    ] {
      #expect(!text.contains("secret"))
    }
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!dumped.contains("secret"))
  }
}
