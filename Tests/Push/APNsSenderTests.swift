import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Testing

@testable import Push

/// Keeps what is sent and answers what the test says.
@LoopActor
private final class FakeConnection: PushConnection {
  var sent: [HTTPRequest] = []
  var answers: [Result<HTTPResponse, HTTPClientError>] = []
  /// Nothing leaves and nothing is answered.
  var isQueueing = false
  var isClosed = false
  private var queue: [@LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void] = []

  func send(
    _ request: HTTPRequest, timeout: Duration, completion: @escaping @LoopActor (Result<HTTPResponse, HTTPClientError>) -> Void
  ) -> HTTPClientCall {
    sent.append(request)
    let call = HTTPClientCall { [isQueueing] in isQueueing }
    if isQueueing {
      queue.append(completion)
    } else {
      completion(answers.isEmpty ? .success(HTTPResponse(status: 200)) : answers.removeFirst())
    }
    return call
  }

  func close() { isClosed = true }

  func answerAll() {
    for completion in queue { completion(.success(HTTPResponse(status: 200))) }
    queue = []
  }
}

@Suite struct APNsSenderTests {
  let key = SigningPrivateKey.generate(.p256)
  let address = APNsAddress(token: "00fc", topic: "com.example.voip", environment: .production)

  @LoopActor private func outcome(
    _ address: APNsAddress, over connection: FakeConnection, development: FakeConnection = FakeConnection()
  ) async -> PushOutcome {
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", key: key)
    let sender = APNsSender(token: token, production: connection, development: development, random: SeededRandom(seed: 1))
    let outcome = await withCheckedContinuation { continuation in
      sender.send(sealed: [1, 2, 250], to: address) { continuation.resume(returning: $0) }
    }
    #expect(sender.pending == 0)
    return outcome
  }

  @LoopActor @Test func whatHasNotLeftCanBeWithdrawn() async {
    let connection = FakeConnection()
    connection.isQueueing = true
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", key: key)
    let sender = APNsSender(token: token, production: connection, development: connection, random: SeededRandom(seed: 1))
    var outcomes: [PushOutcome] = []
    let number = sender.send(sealed: [1], to: address) { outcomes.append($0) }
    sender.withdraw(number)
    sender.withdraw(number)
    #expect(outcomes == [.unreachable])
    #expect(sender.pending == 0)
  }

  /// A restart, a node more, keys that are read again: none of them may cost a token, since Apple takes a new one every 20 minutes only.
  @Test func whoeverHasTheKeyMakesTheSameToken() throws {
    let other = try SigningPrivateKey(.p256, rawValue: key.rawValue)
    func jwt(_ key: SigningPrivateKey, _ milliseconds: Int64) throws -> String {
      try ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", key: key).jwt(issuedAt: .ms(milliseconds))
    }
    #expect(try jwt(key, 1_764_480_000_000) == jwt(other, 1_764_480_000_000))
    #expect(try jwt(key, 1_764_480_000_000) != jwt(other, 1_764_482_400_000))
    #expect(try jwt(key, 1_764_480_000_000) != jwt(.generate(.p256), 1_764_480_000_000))
  }

  @LoopActor @Test func aRetiredSenderBringsItsPushesToTheirOutcome() async {
    let connection = FakeConnection()
    connection.isQueueing = true
    let token = ProviderToken(keyID: "ABC123DEFG", teamID: "DEF123GHIJ", key: key)
    var sender: APNsSender? = APNsSender(token: token, production: connection, development: connection, random: SeededRandom(seed: 1))
    var outcomes: [PushOutcome] = []
    sender?.send(sealed: [1], to: address) { outcomes.append($0) }
    sender?.retire()
    sender = nil
    #expect(!connection.isClosed)
    connection.answerAll()
    #expect(outcomes == [.accepted])
    #expect(connection.isClosed)
  }

  @LoopActor @Test func theRequestIsAsTheContractSays() async throws {
    let connection = FakeConnection()
    #expect(await outcome(address, over: connection) == .accepted)
    let request = try #require(connection.sent.first)
    #expect(connection.sent.count == 1)
    #expect(request.method == "POST")
    #expect(request.path == "/3/device/00fc")
    #expect(request.body.text == #"{"aps":{},"ringhold":"AQL6"}"#)
    let fields = Dictionary(uniqueKeysWithValues: request.fields.map { ($0.name, $0.value) })
    #expect(fields["apns-push-type"] == "voip")
    #expect(fields["apns-topic"] == "com.example.voip")
    #expect(fields["apns-priority"] == "10")
    #expect(fields["apns-expiration"] == "0")
    #expect(fields["apns-collapse-id"] == nil)
    let id = try #require(fields["apns-id"])
    #expect(id.count == 36 && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12] && Array(id)[14] == "4")
    try checkJWT(try #require(fields["authorization"]))
  }

  private func checkJWT(_ authorization: String) throws {
    let parts = authorization.dropFirst("bearer ".count).split(separator: ".").map { String($0) }
    #expect(authorization.hasPrefix("bearer ") && parts.count == 3)
    #expect(Base64.urlSafe.decode(parts[0])?.text == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(Base64.urlSafe.decode(parts[1])?.text.hasPrefix(#"{"iss":"DEF123GHIJ","iat":"#) == true)
    let signature = try #require(Base64.urlSafe.decode(parts[2]))
    #expect(key.publicKey.isValid(signature: signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
  }

  @LoopActor @Test func sentAgainItIsTheSamePush() async {
    let connection = FakeConnection()
    let expired = HTTPResponse(status: 403, body: Array(#"{"reason":"ExpiredProviderToken"}"#.utf8))
    connection.answers = [.failure(.notProcessed(.ended)), .success(expired)]
    #expect(await outcome(address, over: connection) == .accepted)
    #expect(Set(connection.sent.map { $0.fields.values("apns-id") }).count == 1)
    #expect(connection.sent.count == 3)
    #expect(connection.sent[0].fields.values("authorization") == connection.sent[1].fields.values("authorization"))
    #expect(connection.sent[1].fields.values("authorization") != connection.sent[2].fields.values("authorization"))
  }

  @LoopActor @Test func theTimeOfATokensDeathIsRead() async {
    let connection = FakeConnection()
    connection.answers = [.success(HTTPResponse(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1764480000123}"#.utf8)))]
    #expect(await outcome(address, over: connection) == .tokenGone(since: .ms(1_764_480_000_123)))
  }

  @LoopActor @Test func aDeviceOfTheOtherEnvironmentHasItsOwnConnection() async {
    let (production, development) = (FakeConnection(), FakeConnection())
    let address = APNsAddress(token: "00fc", topic: "t", environment: .development)
    development.answers = [.failure(.unknown(.connectionLost))]
    #expect(await outcome(address, over: production, development: development) == .unknown)
    #expect(production.sent.isEmpty && development.sent.count == 1)
  }
}
