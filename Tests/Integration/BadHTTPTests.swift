import Cryptography
import Endpoints
import HTTP
import Network
import Node
import PhoneContract
import PhoneKit
import Primitives
import TestKit
import Testing

/// Requests that are wrong: the problem that the contract names, and the next request is served.
@LoopActor
@Suite struct BadHTTPTests {
  /// A phone that sends what it is told to, over HTTP/1.1 or HTTP/2.
  @LoopActor struct Sender: Tool {
    let handset: Handset
    let authority: String
    let client: HTTPClient

    init(_ site: Site, _ handset: Handset, alpn: String = "h2") throws {
      self.handset = handset
      let origin = HTTPOrigin(scheme: .https, host: "localhost", port: site.setting.https.port)
      authority = origin.authority
      let tls = try TLSContext.client(trust: .pem(try Site.authority.get().certificatePEM), alpn: [alpn])
      client = HTTPClient(origin: origin, tls: tls, address: site.setting.https)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try await client.send(request) }

    /// The name of the problem, `status` where there is none.
    func problem(_ request: HTTPRequest) async throws -> String {
      let response = try await send(request)
      guard let problem = Problem(json: response.body) else { return String(response.status) }
      guard problem.status == response.status, response.fields["content-type"] == Problem.contentType else { return "unlike its status" }
      return problem.name.rawValue + (problem.pointer ?? "")
    }
  }

  @Test(arguments: ["h2", "http/1.1"]) func signatures(_ alpn: String) async throws {
    try await Site.with { site in
      let phone = try await site.registered("signs-\(alpn.hasPrefix("h2") ? 2 : 1)")
      let sender = try Sender(site, phone, alpn: alpn)
      let now = Loop.unixNow().seconds
      let state = PhoneRequest.setUpState

      var unsigned = sender.signed(state)
      unsigned.fields.remove("signature")
      let refused = try await sender.send(unsigned)
      #expect(refused.status == 401)
      #expect(refused.fields["www-authenticate"] == "Signature")

      var spoilt = sender.signed(state)
      spoilt.fields.set("signature", to: "sig=:" + Base64.standard.encode(SystemRandom.bytes(64)) + ":")
      #expect(try await sender.problem(spoilt) == "bad-signature")
      var elsewhere = sender.signed(state)
      elsewhere.path = "/v1/setup?x=1"
      #expect(try await sender.problem(elsewhere) == "bad-signature")
      var otherBody = sender.signed(.fetch(.one, .answer))
      otherBody.body = Array(#"{"line":2,"stage":"answer"}"#.utf8)
      #expect(try await sender.problem(otherBody) == "bad-signature")
      var garbled = sender.signed(state)
      garbled.fields.set("signature-input", to: "sig=((((")
      #expect(try await sender.problem(garbled) == "bad-signature")
      #expect(try await sender.problem(sender.signed(state, nonce: "short")) == "bad-signature")

      for created in [now - 70, now + 70] {
        let skewed = try await sender.send(sender.signed(state, created: created))
        #expect(Problem(json: skewed.body)?.name == .clockSkew)
        #expect(abs((skewed.fields["date"].flatMap { HTTPDate.seconds($0) } ?? 0) - now) < 30)
      }
      let once = sender.signed(state)
      #expect(try await sender.problem(once) == "200")
      #expect(try await sender.problem(once) == "replayed")

      let stranger = try Sender(site, try site.phone(of: "stranger"), alpn: alpn)
      #expect(try await stranger.problem(stranger.signed(state)) == "not-set-up")
      #expect(try await sender.problem(sender.signed(state)) == "200")
    }
  }

  @Test(arguments: ["h2", "http/1.1"]) func bodiesAndPaths(_ alpn: String) async throws {
    try await Site.with { site in
      let phone = try await site.registered("sends-\(alpn.hasPrefix("h2") ? 2 : 1)")
      let sender = try Sender(site, phone, alpn: alpn)
      for (method, path, body, expected) in [
        ("PUT", "/v1/setup", "{", "malformed"), ("PUT", "/v1/setup", "[]", "malformed"), ("PUT", "/v1/setup", "\0\u{1}", "malformed"),
        ("PUT", "/v1/setup", #"{"account":{"registrar":7}}"#, "malformed/account/registrar"),
        ("PUT", "/v1/setup", String(repeating: "[", count: 60_000), "malformed"),
        ("PUT", "/v1/setup", String(repeating: "x", count: 70_000), "too-large"),
        ("POST", "/v1/setup", "{}", "method"), ("GET", "/v2/setup", "", "no-such-path"), ("GET", "/", "", "no-such-path"),
        ("GET", "/v1/lines/3/status", "", "no-such-path"),
      ] {
        let request = HTTPRequest(method: method, authority: sender.authority, path: path, body: Array(body.utf8))
        let problem = try await sender.problem(request)
        #expect(problem == expected || (expected == "malformed" && problem.hasPrefix("malformed")), "\(method) \(path) \(body.prefix(30))")
        #expect(try await sender.problem(sender.signed(.setUpState)) == "200")
      }
    }
  }

  @Test func keys() async throws {
    try await Site.with { site in
      let p256 = try site.phone(of: "keys", .p256)
      let sender = try Sender(site, p256)
      @LoopActor func setUp(_ keys: KeysBody) -> HTTPRequest {
        sender.signed(.setUp(SetUpBody(account: p256.account(over: .udp), device: DeviceBody(keys: keys, push: p256.pushAddress))))
      }
      let good = p256.phone.keys.sign
      // Not on the curve.
      var point = Base64.urlSafe.decode(good.y ?? "") ?? []
      point[31] ^= 1
      let off = KeyBody(kty: "EC", crv: "P-256", x: good.x, y: Base64.urlSafe.encode(point))
      #expect(try await sender.problem(setUp(KeysBody(sign: off))) == "malformed/device/keys/sign")
      #expect(try await sender.problem(setUp(KeysBody(sign: good, seal: off))) == "malformed/device/keys/seal")
      // Of low order: the shared secret would be known to all.
      for low in [Bytes(repeating: 0, count: 32), [1] + Bytes(repeating: 0, count: 31)] {
        let key = KeyBody(kty: "OKP", crv: "X25519", x: Base64.urlSafe.encode(low))
        #expect(try await sender.problem(setUp(KeysBody(sign: good, seal: key))) == "malformed/device/keys/seal")
      }
      let other = try Phone.generate(.p256).keys.sign
      #expect(try await sender.problem(setUp(KeysBody(sign: other))) == "bad-signature")
      #expect(
        try await sender.problem(setUp(KeysBody(sign: KeyBody(kty: "RSA", crv: "P-256", x: good.x)))).hasPrefix(
          "malformed/device/keys/sign"))
      #expect(try await sender.problem(setUp(KeysBody(sign: good))) == "200")

      // One key belongs to one account.
      let account = AccountBody(
        registrar: site.provider.address.text, user: "second", domain: "calls.test", credentials: p256.account(over: .udp).credentials,
        transport: .udp)
      let again = SetUpBody(account: account, device: DeviceBody(keys: p256.phone.keys, push: p256.pushAddress))
      #expect(try await sender.problem(sender.signed(.setUp(again))) == "key-in-use")
    }
  }

  @Test func headsThatAreTooLarge() async throws {
    try await Site.with { site in
      let head = "GET /v1/setup HTTP/1.1\r\nHost: localhost\r\n"
      for (bytes, status) in [
        (head + "X-A: " + String(repeating: "a", count: 20_000) + "\r\n\r\n", "431"),
        (head + String(repeating: "X-A: b\r\n", count: 200) + "\r\n", "431"),
        ("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "414"), ("NONSENSE\r\n\r\n", "400"),
        (head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"), (head + "Content-Length: -1\r\n\r\n", "400"),
        ("GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "505"),
      ] {
        let peer = try await RawStream(to: site.setting.https, tls: ["http/1.1"])
        peer.send(bytes)
        #expect(await peer.hears("HTTP/1.1 \(status) "), "\(bytes.prefix(30)): \(peer.heard.text.prefix(40))")
        peer.close()
      }
      // Nothing that HTTP/2 begins with.
      let noPreface = try await RawStream(to: site.setting.https, tls: ["h2"])
      noPreface.send(SystemRandom.bytes(3000))
      #expect(await noPreface.end() != nil)
      let next = try await RawStream(to: site.setting.https, tls: ["http/1.1"])
      next.send(head + "\r\n")
      #expect(await next.hears("HTTP/1.1 401 "))
      next.close()
    }
  }

  @Test func whoIsSlowIsGone() async throws {
    var limits = ServerLimits()
    limits.http.http.headTime = .milliseconds(600)
    limits.http.http.bodyTime = .milliseconds(600)
    limits.http.http.idleTime = .milliseconds(600)
    limits.http.listener.stream.handshake = .milliseconds(600)
    try await Site.with(limits: limits) { site in
      let silent = [
        try await RawStream(to: site.setting.https), try await RawStream(to: site.setting.https, tls: ["http/1.1"]),
        try await RawStream(to: site.setting.https, tls: ["h2"]),
      ]
      for peer in silent { #expect(await peer.end() != nil) }
      let head = try await RawStream(to: site.setting.https, tls: ["http/1.1"])
      head.trickle("GET /v1/setup HTTP/1.1\r\nHost: localhost\r\nX-A: " + String(repeating: "a", count: 500), every: .milliseconds(100))
      let body = try await RawStream(to: site.setting.https, tls: ["http/1.1"])
      body.send("PUT /v1/setup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n")
      body.trickle(String(repeating: "a", count: 400), every: .milliseconds(100))
      for peer in [head, body] { #expect(await peer.end() != nil) }
      #expect(head.heard.text.hasPrefix("HTTP/1.1 408 "))
      let phone = try site.phone(of: "brisk")
      #expect(try await problem { _ = try await phone.client.state() } == .notSetUp)
    }
  }
}
