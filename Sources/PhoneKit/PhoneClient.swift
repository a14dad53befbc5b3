import Cryptography
public import Endpoints
import HTTP
public import Network
import PhoneContract
public import Primitives

/// Speaks the phone contract with one server, for one device. Every request is signed anew; one whose connection was lost is sent once
/// more, and a POST carries the same Idempotency-Key then, so that nothing is done twice.
@LoopActor
public final class PhoneClient {
  public let phone: Phone
  private let client: HTTPClient
  private let ownedResolver: Resolver?
  /// Seconds that the server's clock is ahead of ours, as far as it has complained.
  private var clockOffset: Int64 = 0

  /// - Parameters:
  ///   - server: `https://host[:port]`.
  ///   - trustedPEM: certificates to trust in the place of the system's.
  ///   - address: where the server is, if the name does not say it.
  /// - Throws: `unusableServer`.
  public init(phone: Phone, server: String, trustedPEM: Bytes? = nil, address: SocketAddress? = nil) throws(PhoneError) {
    guard let origin = HTTPOrigin(server), origin.scheme == .https,
      let tls = try? TLSContext.client(trust: trustedPEM.map { .pem($0) } ?? .system, alpn: ["h2", "http/1.1"])
    else { throw .unusableServer }
    self.phone = phone
    let isKnown = address != nil || IPAddress(origin.host) != nil
    ownedResolver = isKnown ? nil : try? Resolver()
    client = HTTPClient(origin: origin, tls: tls, resolver: ownedResolver, address: address)
  }

  /// Over a connection that the caller makes.
  public init(phone: Phone, client: HTTPClient) {
    self.phone = phone
    self.client = client
    ownedResolver = nil
  }

  public func close() {
    client.close()
    ownedResolver?.close()
  }

  // MARK: Sending

  /// The body of a success.
  func send(_ request: PhoneRequest, timeout: Duration = .seconds(15)) async throws(PhoneError) -> Bytes {
    let encoded = request.encoded
    let key = encoded.method == "POST" ? Self.token() : nil
    let response = try await sendTwice(encoded, key, timeout)
    if response.status / 100 == 2 { return response.body }
    if response.status == 503 { client.tryElsewhere() }
    let problem = Problem(json: response.body)
    if problem?.name == .clockSkew, learnClock(response) { return try await sendAgain(encoded, key, timeout) }
    throw Self.error(response)
  }

  private func sendAgain(_ request: EncodedRequest, _ key: String?, _ timeout: Duration) async throws(PhoneError) -> Bytes {
    let response = try await sendTwice(request, key, timeout)
    if response.status / 100 == 2 { return response.body }
    throw Self.error(response)
  }

  /// Again where the connection was lost: with all but POST the second time does nothing new, and POST has its key. One that hung there for
  /// long is the user's to ask for again: it names no call, and the next one may ring by now.
  private func sendTwice(_ request: EncodedRequest, _ key: String?, _ timeout: Duration) async throws(PhoneError) -> HTTPResponse {
    let began = Loop.now()
    do {
      return try await client.send(sign(request, key), timeout: timeout)
    } catch {
      if case .unknown(.timedOut) = error { client.tryElsewhere() }
      guard Self.isWorthAnother(error), key == nil || Loop.now() - began < Self.haste else { throw .transport(error) }
    }
    do {
      return try await client.send(sign(request, key), timeout: timeout)
    } catch {
      throw .transport(error)
    }
  }

  private static let haste = Duration.seconds(2)

  private func sign(_ request: EncodedRequest, _ key: String?) -> HTTPRequest {
    phone.signed(
      request, scheme: client.origin.scheme.rawValue, authority: client.origin.authority, created: Loop.unixNow().seconds + clockOffset,
      nonce: Self.token(), idempotencyKey: key)
  }

  private static func isWorthAnother(_ error: HTTPClientError) -> Bool {
    switch error {
    case .notProcessed(.ended), .unknown(.ended), .unknown(.connectionLost), .unknown(.streamReset): true
    case .notProcessed, .unknown: false
    }
  }

  /// Whether the server has told a time that differs from what we signed with by more than a second or two on the way.
  private func learnClock(_ response: HTTPResponse) -> Bool {
    guard let date = response.fields["date"], let seconds = HTTPDate.seconds(date) else { return false }
    let offset = seconds - Loop.unixNow().seconds
    defer { clockOffset = offset }
    return abs(offset - clockOffset) > Contract.clockSkew.nanoseconds / 2_000_000_000
  }

  private static func error(_ response: HTTPResponse) -> PhoneError {
    guard var problem = Problem(json: response.body), problem.status == response.status else { return .unexpected(status: response.status) }
    problem.retryAfter = response.fields["retry-after"].flatMap { Array($0.utf8).decimal() }
    return .problem(problem)
  }

  private static func token() -> String { Base64.urlSafe.encode(SystemRandom.bytes(18)) }
}
