import Cryptography
import Endpoints
import Foundation
import HTTP
import Network
import Primitives

/// A server on a free port of the loopback address, with a certificate of its own.
@LoopActor
final class HTTPTestServer {
  let server: HTTPServer
  let certificatePEM: Bytes
  private let keyPEM: Bytes
  let address: SocketAddress
  private let isTLS: Bool

  /// With the address and the certificate of `other`, which has stopped. The default handler answers with method, path and length of the body.
  init(
    isTLS: Bool = true, alpn: [String] = ["h2", "http/1.1"], like other: HTTPTestServer? = nil,
    limits: HTTPServerLimits = .init(),
    handler: HTTPServer.Handler? = nil
  ) throws {
    let fresh = try SelfSignedCertificate.make(names: ["localhost"], addresses: [.loopbackIPv4])
    (certificatePEM, keyPEM) = other.map { ($0.certificatePEM, $0.keyPEM) } ?? fresh
    self.isTLS = isTLS
    let tls = isTLS ? try TLSContext.server(certificatePEM: certificatePEM, keyPEM: keyPEM, alpn: alpn) : nil
    let seen = Seen()
    server = try HTTPServer(listen: SocketAddress(ip: .loopbackIPv4, port: other?.address.port ?? 0), tls: tls, limits: limits) {
      request, exchange in
      seen.paths.append(request.path)
      if let handler { handler(request, exchange) } else { exchange.respond(Self.echo(request)) }
    }
    self.seen = seen
    address = server.local ?? SocketAddress(ip: .loopbackIPv4, port: 0)
  }

  /// What was asked for, in order.
  @LoopActor final class Seen { var paths: [String] = [] }
  let seen: Seen

  static func echo(_ request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(status: 200, body: Array("\(request.method) \(request.path) \(request.body.count)".utf8))
  }

  var url: String { "\(isTLS ? "https" : "http")://\(address.text)" }

  func client(alpn: [String] = ["h2", "http/1.1"], limits: HTTPClientLimits = .init(), host: String = "127.0.0.1") throws -> HTTPClient {
    let tls = isTLS ? try TLSContext.client(trust: .pem(certificatePEM), alpn: alpn) : nil
    let origin = HTTPOrigin(scheme: isTLS ? .https : .http, host: host, port: address.port)
    return HTTPClient(origin: origin, tls: tls, address: address, limits: limits)
  }

  /// A connection below HTTP.
  func connect(alpn: [String]) async throws -> any ByteStream {
    guard isTLS else { return try await Connector.connect(to: address) }
    let tls = try TLSContext.client(trust: .pem(certificatePEM), alpn: alpn)
    return try await Connector.connect(to: address, tls: (tls, ServerIdentity(host: "127.0.0.1")))
  }

  /// Writes the certificate where a tool can read it.
  func certificateFile() throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("ringhold-\(UUID().uuidString).pem")
    try Data(certificatePEM).write(to: file)
    return file.path
  }
}

/// Waits for something that a callback will tell; false where it did not in time.
@LoopActor
final class HTTPSignal {
  private var hasCome = false
  private var waiter: CheckedContinuation<Bool, Never>?

  func come() {
    hasCome = true
    resume(true)
  }

  func wait(_ limit: Duration = .seconds(10)) async -> Bool {
    if hasCome { return true }
    let timer = Loop.after(limit) { [self] in resume(false) }
    let result = await withCheckedContinuation { waiter = $0 }
    timer.cancel()
    return result
  }

  private func resume(_ result: Bool) {
    waiter?.resume(returning: result)
    waiter = nil
  }
}
