import Cryptography
import HTTP
import Primitives
import Testing

@testable import Demo

@Suite struct PushDeskTests {
  private let key = SigningPrivateKey.generate(.p256)
  private let now = Instant.ms(1_800_000_000_000)

  private func desk() -> PushDesk { PushDesk(ProviderTokenCheck(key: key.publicKey, keyID: "K", teamID: "T")) }

  private func jwt(issuedAt: Instant? = nil, key: SigningPrivateKey? = nil, team: String = "T") throws -> String {
    let claims = "{\"iss\":\"\(team)\",\"iat\":\((issuedAt ?? now).seconds)}"
    return "bearer " + (try JWS.es256(header: #"{"alg":"ES256","kid":"K"}"#.utf8, claims: claims.utf8, key: key ?? self.key).text)
  }

  private func request(
    to token: String = "00aa", jwt: String?, body: String = #"{"aps":{},"ringhold":"AQID"}"#, _ changes: [String: String?] = [:]
  ) -> HTTPRequest {
    var fields: HTTPFields = [
      "apns-id": "1", "apns-push-type": "voip", "apns-topic": "com.example.voip", "apns-priority": "10", "apns-expiration": "0",
    ]
    if let jwt { fields.append("authorization", jwt) }
    for (name, value) in changes { if let value { fields.set(name, to: value) } else { fields.remove(name) } }
    return HTTPRequest(method: "POST", authority: "localhost", path: "/3/device/" + token, fields: fields, body: Array(body.utf8))
  }

  @Test func aGoodPushIsTakenAndKept() throws {
    var desk = desk()
    let (record, answer) = try desk.take(request(jwt: jwt()), now: now)
    #expect(answer.status == 200)
    #expect(record.sealed == [1, 2, 3])
    #expect(record.token == "00aa")
    #expect(record.topic == "com.example.voip")
    #expect(record.id == "1")
  }

  @Test(arguments: [
    ("dead01", 410, "Unregistered"), ("badd01", 400, "BadDeviceToken"), ("b00001", 429, "TooManyRequests"), ("xyz", 400, "BadDeviceToken"),
    ("", 400, "BadDeviceToken"),
  ])
  func theTokenChoosesTheAnswer(_ token: String, _ status: Int, _ reason: String) throws {
    var desk = desk()
    let (_, answer) = try desk.take(request(to: token, jwt: jwt()), now: now)
    #expect(answer.status == status)
    #expect(answer.reason == reason)
  }

  @Test func whoIsGoneIsGoneSinceAMoment() throws {
    var desk = desk()
    let asked = try request(to: "dead", jwt: jwt())
    let response = desk.take(asked, now: now).1.response(to: asked)
    #expect(response.body.text == #"{"reason":"Unregistered","timestamp":1800000000000}"#)
    #expect(response.fields["apns-id"] == "1")
  }

  @Test(arguments: [("fa11", 500), ("50ff", 503), ("01d0", 403)])
  func someFailOnce(_ token: String, _ status: Int) throws {
    var desk = desk()
    let first = try jwt()
    #expect(desk.take(request(to: token, jwt: first), now: now).1.status == status)
    // After `01d0` only another provider token will do.
    let second = token == "01d0" ? try jwt(issuedAt: now + .seconds(-30)) : first
    #expect(desk.take(request(to: token, jwt: second), now: now).1.status == 200)
    #expect(desk.take(request(to: "00", jwt: first), now: now).1.reason == (token == "01d0" ? "ExpiredProviderToken" : nil))
  }

  @Test func somebodyNeverAnswers() throws {
    var desk = desk()
    #expect(try desk.take(request(to: "5101", jwt: jwt()), now: now).1.status == 0)
  }

  @Test(arguments: [
    ("apns-topic", nil, "MissingTopic"), ("apns-topic", "com.example", "DeviceTokenNotForTopic"),
    ("apns-push-type", "alert", "InvalidPushType"), ("apns-priority", "7", "BadPriority"),
    ("apns-expiration", "soon", "BadExpirationDate"),
  ])
  func aWrongFieldIsNamed(_ name: String, _ value: String?, _ reason: String) throws {
    var desk = desk()
    let (_, answer) = try desk.take(request(jwt: jwt(), [name: value]), now: now)
    #expect(answer.status == 400)
    #expect(answer.reason == reason)
  }

  @Test(arguments: [("", 400, "PayloadEmpty"), (#"{"ringhold":"AQID"}"#, 400, "PayloadEmpty")])
  func aPayloadNeedsItsDictionary(_ body: String, _ status: Int, _ reason: String) throws {
    var desk = desk()
    #expect(try desk.take(request(jwt: jwt(), body: body), now: now).1.reason == reason)
  }

  @Test func aPayloadMayBeTooLarge() throws {
    var desk = desk()
    let body = #"{"aps":{},"ringhold":""# + String(repeating: "A", count: 5200) + #""}"#
    #expect(try desk.take(request(jwt: jwt(), body: body), now: now).1.status == 413)
  }

  @Test func theProviderTokenIsChecked() throws {
    var desk = desk()
    func reason(_ jwt: String?) -> String? { desk.take(request(jwt: jwt), now: now).1.reason }
    #expect(reason(nil) == "MissingProviderToken")
    #expect(reason("bearer a.b.c") == "InvalidProviderToken")
    #expect(try reason(jwt(key: .generate(.p256))) == "InvalidProviderToken")
    #expect(try reason(jwt(team: "X")) == "InvalidProviderToken")
    #expect(try reason(jwt(issuedAt: now + .seconds(120))) == "InvalidProviderToken")
    #expect(try reason(jwt(issuedAt: now + .seconds(-3700))) == "ExpiredProviderToken")
    #expect(try reason(jwt(issuedAt: now + .seconds(-1000))) == nil)
    #expect(try reason(jwt()) == "TooManyProviderTokenUpdates")
  }
}
