public import Cryptography
public import Endpoints
import HTTP
public import Network
import Primitives

/// Carries pushes over an HTTP client.
@LoopActor
final class HTTPPushConnection: PushConnection {
  private let client: HTTPClient

  init(_ client: HTTPClient) { self.client = client }

  var authority: String { client.origin.authority }

  func send(_ request: HTTPRequest, done: @escaping @LoopActor (Result<HTTPResponse, PushFailure>) -> Void) -> any PushStream {
    let stream = Stream()
    // What fails at once is told in a turn of its own: the sender does not know this stream yet.
    stream.call = client.send(request, timeout: .seconds(10)) { result in
      Loop.soon { if !stream.isAbandoned { done(result.mapError { $0.mayBeSentAgain ? .notProcessed : .unknown }) } }
    }
    return stream
  }

  private final class Stream: PushStream {
    var call: HTTPClientCall?
    private(set) var isAbandoned = false

    func abandon() -> Bool {
      isAbandoned = true
      return call?.cancel() ?? false
    }
  }
}

extension APNsSender {
  /// - Parameters:
  ///   - url: one origin for both environments; Apple's two where nil.
  ///   - tls: a client context whose ALPN offers `h2`.
  public convenience init(key: SigningPrivateKey, keyID: String, teamID: String, url: HTTPOrigin?, tls: TLSContext, resolver: Resolver) {
    func connection(_ host: String) -> HTTPPushConnection {
      HTTPPushConnection(HTTPClient(origin: url ?? HTTPOrigin(scheme: .https, host: host), tls: tls, resolver: resolver))
    }
    var random = SystemRandom()
    let production = connection("api.push.apple.com")
    self.init(
      token: ProviderToken(keyID: keyID, teamID: teamID, key: key), production: production,
      development: url == nil ? connection("api.sandbox.push.apple.com") : production, random: SeededRandom(from: &random))
  }
}
