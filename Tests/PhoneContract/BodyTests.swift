import PhoneContract
import Primitives
import Testing

@Suite struct BodyTests {
  func setUp(_ json: String) -> Result<PhoneRequest, Problem> {
    PhoneRequest.decode(method: "PUT", path: "/v1/setup", body: Array(json.utf8))
  }

  @Test func theWholeSetUpIsRead() throws {
    let body = try SetUpBody(json: Array(Sample.setUp.utf8))
    #expect(body.account.registrar == "sip.example.net")
    #expect(body.account.credentials == [CredentialBody(realm: "example.net", algorithm: .md5, ha1: Sample.ha1)])
    #expect(body.account.outboundProxy == nil)
    #expect(body.account.expires == 600)
    #expect(body.device.keys.sealing.crv == "X25519")
    #expect(body.device.push == .apns(token: "00fc13adff785122", topic: "com.example.app.voip", environment: .production))
    #expect(body.takeSlotOf?.count == 43)
  }

  @Test func optionalMembersMayBeAbsent() throws {
    let body = try SetUpBody(json: Array(Sample.smallestSetUp.utf8))
    #expect(body.account.domain == nil)
    #expect(body.account.expires == nil)
    #expect(body.device.mode == .ring)
    #expect(body.device.keys.sealing == body.device.keys.sign)
    #expect(body.takeSlotOf == nil)
  }

  /// Replaced text in the sample, and where the problem then points.
  static let mistakes: [(String, String, String)] = [
    (#""registrar": "sip.example.net", "#, "", "/account/registrar"),
    (#""sip.example.net""#, "5", "/account/registrar"),
    (#""sip.example.net""#, #""""#, "/account/registrar"),
    (#""sip.example.net""#, #""sip.example.net\r\nX: y""#, "/account/registrar"),
    (#""sip.example.net""#, "\"" + String(repeating: "a", count: 256) + "\"", "/account/registrar"),
    (#""user": "alice""#, #""user": "al ice""#, "/account/user"),
    (#""user": "alice""#, #""user": "alice@example.net""#, "/account/user"),
    (#""user": "alice""#, #""user": "a%b""#, "/account/user"),
    (#""user": "alice""#, #""user": "a%4""#, "/account/user"),
    (#""auth_user": "alice""#, #""auth_user": "a\u0000""#, "/account/auth_user"),
    (#""outbound_proxy": null"#, #""outbound_proxy": "a>b""#, "/account/outbound_proxy"),
    (#""transport": "auto", "#, "", "/account/transport"),
    (#""transport": "auto""#, #""transport": "sctp""#, "/account/transport"),
    ("600", "59", "/account/expires"),
    ("600", "86401", "/account/expires"),
    ("600", #""600""#, "/account/expires"),
    ("600", "600.5", "/account/expires"),
    ("\"MD5\"", "\"MD4\"", "/account/credentials/0/algorithm"),
    ("\"MD5\"", "\"SHA-256\"", "/account/credentials/0/ha1"),
    (Sample.ha1, "zz9e7578ed9e3c518a452acee763bce9", "/account/credentials/0/ha1"),
    (Sample.ha1, "939e", "/account/credentials/0/ha1"),
    (#""realm": "example.net", "#, "", "/account/credentials/0/realm"),
    ("kitchen phone", String(repeating: "x", count: 65), "/device/name"),
    ("kitchen phone", #"a\nb"#, "/device/name"),
    (#""mode": "ring""#, #""mode": "dance""#, "/device/mode"),
    (#", "seal": \#(Sample.sealKey)"#, "", "/device/keys/seal"),
    (Sample.signKey, Sample.sealKey, "/device/keys/sign"),
    ("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUR=", "/device/keys/sign/x"),
    (#""kty":"OKP","crv":"Ed25519""#, #""kty":"RSA","crv":"Ed25519""#, "/device/keys/sign/kty"),
    (#""kty":"OKP","crv":"Ed25519""#, #""kty":"EC","crv":"P-256""#, "/device/keys/sign/y"),
    (#""kty":"OKP","crv":"Ed25519""#, #""kty":"EC","crv":"P-521""#, "/device/keys/sign/crv"),
    (#""service":"apns""#, #""service":"pigeon""#, "/device/push/service"),
    ("00FC13adff785122", "00FC13adff78512g", "/device/push/token"),
    ("com.example.app.voip", #"a\r\nb: c"#, "/device/push/topic"),
    (#","environment":"production""#, "", "/device/push/environment"),
    ("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k", "short", "/take_slot_of"),
    ("a.b.c", "", "/entitlement"),
  ]

  @Test(arguments: mistakes) func aMistakeIsPointedAt(was: String, becomes: String, pointer: String) {
    let json = Sample.setUp.replacing(was, with: becomes, maxReplacements: 1)
    #expect(json != Sample.setUp)
    #expect(setUp(json).problem == .malformed(at: pointer))
  }

  @Test(arguments: ["", "{", "[]", "5", "null", "{}}", "{\"account\": \u{0}}", "\u{FEFF}x"]) func whatIsNoObject(json: String) {
    #expect(setUp(json).problem == .malformed(at: ""))
  }

  @Test func bytesThatAreNoText() {
    let body = Array(Sample.smallestSetUp.utf8).replacing(Array("127".utf8), with: [0xC3, 0x28])
    #expect(PhoneRequest.decode(method: "PUT", path: "/v1/setup", body: body).problem?.name == .malformed)
    let wide = Sample.smallestSetUp.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    #expect(PhoneRequest.decode(method: "PUT", path: "/v1/setup", body: wide).problem == .malformed(at: ""))
  }

  @Test func aDeepNestIsRefused() {
    let nest = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
    #expect(setUp(#"{"x":\#(nest)}"#).problem?.name == .malformed)
  }

  @Test func unknownMembersAreIgnored() {
    let json = Sample.smallestSetUp.replacing(#""user""#, with: #""later": {"a": [1, null, "b"]}, "user""#)
    #expect(setUp(json).request == setUp(Sample.smallestSetUp).request)
  }

  @Test func oneChallengeHasOneAnswer() {
    let one = #"{"realm": "r", "algorithm": "MD5", "ha1": "\#(Sample.ha1)"}"#
    #expect(setUp(Sample.smallestSetUp.replacing(one, with: one + "," + one)).problem == .malformed(at: "/account/credentials"))
    #expect(setUp(Sample.smallestSetUp.replacing(one, with: "")).problem == .malformed(at: "/account/credentials"))
  }

  @Test func webPushIsChecked() {
    let point = Base64.urlSafe.encode(Bytes(repeating: 4, count: 65))
    let secret = Base64.urlSafe.encode(Bytes(repeating: 1, count: 16))
    func push(_ endpoint: String, _ point: String, _ secret: String) -> Result<PhoneRequest, Problem> {
      let json = #"{"push":{"service":"webpush","endpoint":"\#(endpoint)","p256dh":"\#(point)","auth":"\#(secret)"}}"#
      return PhoneRequest.decode(method: "PUT", path: "/v1/setup/push", body: Array(json.utf8))
    }
    let endpoint = "https://push.example/x"
    #expect(push(endpoint, point, secret).request == .setPush(.webPush(endpoint: endpoint, p256dh: point, auth: secret)))
    #expect(push("http://push.example/x", point, secret).problem == .malformed(at: "/push/endpoint"))
    #expect(push(endpoint, secret, secret).problem == .malformed(at: "/push/p256dh"))
    #expect(push(endpoint, point, point).problem == .malformed(at: "/push/auth"))
  }

  @Test(arguments: [
    ("/v1/calls/fetch", #"{"line":3,"stage":"answer"}"#, "/line"), ("/v1/calls/fetch", #"{"line":1.5,"stage":"answer"}"#, "/line"),
    ("/v1/calls/fetch", #"{"line":1}"#, "/stage"),
    ("/v1/calls/fetch", "", ""), ("/v1/lines/1/answer", #"{"sdp":""}"#, "/sdp"),
    ("/v1/lines/1/answer", #"{"sdp":"v=0","confirm":1}"#, "/confirm"),
    ("/v1/lines/1/dtmf", #"{"digits":"5x","duration_ms":160}"#, "/digits"),
    ("/v1/lines/1/dtmf", #"{"digits":"5","duration_ms":0}"#, "/duration_ms"), ("/v1/lines/2/offer", #"{"sdp":null}"#, "/sdp"),
    ("/v1/probe", #"{"account":{"registrar":"r"}}"#, "/account/user"),
  ])
  func callBodies(path: String, json: String, pointer: String) {
    #expect(PhoneRequest.decode(method: "POST", path: path, body: Array(json.utf8)).problem == .malformed(at: pointer))
  }
}
