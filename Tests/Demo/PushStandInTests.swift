import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Testing

@testable import Demo

@LoopActor
@Suite(.timeLimit(.minutes(1))) struct PushStandInTests {
  private func client(_ push: PushStandIn) throws -> HTTPClient {
    let tls = try TLSContext.client(trust: .pem(push.authority.certificatePEM), alpn: ["h2"])
    return HTTPClient(origin: HTTPOrigin(scheme: .https, host: push.address.ip.text, port: push.address.port), tls: tls)
  }

  private func request(_ push: PushStandIn, to token: String) throws -> HTTPRequest {
    let key = try SigningPrivateKey(pem: push.keyPEM)
    let header = "{\"alg\":\"ES256\",\"kid\":\"\(push.keyID)\"}"
    let claims = "{\"iss\":\"\(push.teamID)\",\"iat\":\(Loop.unixNow().seconds)}"
    let jwt = try JWS.es256(header: header.utf8, claims: claims.utf8, key: key).text
    return HTTPRequest(
      method: "POST", authority: "", path: "/3/device/" + token,
      fields: [
        "authorization": "bearer " + jwt, "apns-id": "7", "apns-push-type": "voip", "apns-topic": "com.example.voip",
        "apns-priority": "10", "apns-expiration": "0",
      ], body: Array(#"{"aps":{},"ringhold":"AQID"}"#.utf8))
  }

  @Test func aPushGoesThroughAndIsAwaited() async throws {
    let push = try PushStandIn()
    let client = try client(push)
    let waiting = Task { try await push.push(for: "00bb") }
    let response = try await client.send(request(push, to: "00bb"))
    #expect(response.status == 200)
    #expect(response.fields["apns-id"] == "7")
    #expect(try await waiting.value.sealed == [1, 2, 3])
    #expect(push.records.count == 1)
    client.close()
    await push.stop()
  }

  @Test func aDeadTokenIsToldToTheSender() async throws {
    let push = try PushStandIn()
    let client = try client(push)
    let response = try await client.send(request(push, to: "dead"))
    #expect(response.status == 410)
    #expect(response.body.text.contains("Unregistered"))
    await #expect(throws: Unexpected.self) { try await push.push(for: "dead", within: .milliseconds(1)) }
    client.close()
    await push.stop()
  }
}
