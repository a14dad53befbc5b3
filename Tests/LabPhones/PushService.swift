import Cryptography
import Endpoints
import FoundationEssentials
import HTTP
import Network
import Primitives

/// A push service that takes everything: what a node pushes over APNs goes to the phones at once. Provider tokens are not looked at:
/// several nodes with one key, each with a token of its own and a new one after each restart, are what a lab has.
@LoopActor
final class PushService {
  private static let path = "/3/device/"
  private let server: HTTPServer

  private struct Payload: Decodable { let ringhold: String? }

  /// Writes its authority and the key for provider tokens into `folder`: `push-ca.pem`, `push.p8`.
  init(listen: SocketAddress, folder: String, deliver: @escaping @LoopActor (_ token: String, _ sealed: Bytes?) -> Void) throws {
    let authority = try CertificateAuthority(commonName: "Lab push")
    let (certificate, key) = try authority.issue(names: ["localhost"], addresses: [listen.ip])
    server = try HTTPServer(
      listen: listen, tls: .server(certificatePEM: certificate, keyPEM: key, alpn: ["h2"])
    ) { request, exchange in
      let isPush = request.method == "POST" && request.path.hasPrefix(Self.path)
      exchange.respond(HTTPResponse(status: isPush ? 200 : 404, fields: ["apns-id": request.fields["apns-id"] ?? ""]))
      guard isPush else { return }
      let sealed = (try? JSONDecoder().decode(Payload.self, from: Data(request.body)))?.ringhold
      deliver(String(request.path.dropFirst(Self.path.count)), sealed.flatMap { Base64.urlSafe.decode($0) })
    }
    // Of a certificate only its key is of use here: a PKCS #8 file on P-256, as the `.p8` is.
    try Files.write(authority.issue(names: ["provider-token"]).keyPEM, "\(folder)/push.p8")
    try Files.write(authority.certificatePEM, "\(folder)/push-ca.pem")
  }
}
