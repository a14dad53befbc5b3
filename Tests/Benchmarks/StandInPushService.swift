import Cryptography
import Endpoints
import HTTP
import Network
import Primitives

/// Takes every push. Says which device token it was for, when the whole request is here, decrypted.
@LoopActor
final class StandInPushService {
  var onPush: ((_ token: String, _ at: Instant) -> Void)?
  private(set) var pushes = 0
  private var server: HTTPServer?

  init(certificate: Bytes, key: Bytes) throws {
    guard let address = SocketAddress(Workplace.pushService + ":0") else { throw Trouble("no address") }
    let tls = try TLSContext.server(certificatePEM: certificate, keyPEM: key, alpn: ["h2"])
    var limits = HTTPServerLimits()
    limits.http.streams = 1000
    server = try HTTPServer(listen: address, tls: tls, limits: limits) { [weak self] request, exchange in
      self?.pushes += 1
      self?.onPush?(String(request.path.split(separator: "/").last ?? ""), Loop.now())
      exchange.respond(HTTPResponse(status: 200))
    }
  }

  var port: UInt16 { server?.local?.port ?? 0 }

  func close() { server?.abortConnections() }
}
