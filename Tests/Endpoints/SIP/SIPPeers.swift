import Cryptography
import Network
import Primitives
import SIP
import TestKit

@testable import Endpoints

/// Two endpoints on the loopback: a server that answers, and a client.
@LoopActor
struct SIPPeers {
  let server: SIPEndpoint
  let client: SIPEndpoint

  /// `adjust` changes the server's settings.
  init(nameServer: SocketAddress? = nil, _ adjust: (inout SIPSettings) -> Void = { _ in }) throws {
    let (certificate, key) = try SelfSignedCertificate.make(names: ["sip.example.org"], addresses: [])
    var settings = SIPSettings()
    (settings.udp, settings.tcp, settings.tls) = ([anyPort], [anyPort], [anyPort])
    settings.serverTLS = try .server(certificatePEM: certificate, keyPEM: key, alpn: [])
    settings.clientTLS = try .client(trust: .pem(certificate), alpn: [])
    settings.addresses.allowed = [AddressRange("127.0.0.0/8")].compactMap { $0 }
    settings.stream.closing = .milliseconds(100)
    settings.listener.stream.closing = .milliseconds(100)
    client = try SIPEndpoint(settings, resolver: try Resolver(servers: nameServer.map { [$0] } ?? []), seed: 1)
    adjust(&settings)
    server = try SIPEndpoint(settings, resolver: try Resolver(), seed: 2)
  }

  func close() {
    server.close()
    client.close()
  }

  /// The way from the client to the server.
  func hop(_ transport: Transport) -> SIPHop {
    let address = server.localAddresses(transport).first ?? anyPort
    let identity = transport == .tls ? ServerIdentity(host: "sip.example.org") : nil
    return SIPHop(Target(transport: transport, address: address), identity: identity)
  }

  /// Lets the server answer each request by `status`.
  func answer(_ status: Int) {
    server.onEvent = { [weak server] event in
      guard case .request(let request, let id, _) = event, request.method != .ack else { return }
      server?.respond(to: id, with: .make(to: request, status: status, toTag: Bytes("srv".utf8)))
    }
  }

  /// What the client hears first.
  func clientHears() -> Once<TransactionLayer.Event> {
    let heard = Once<TransactionLayer.Event>()
    client.onEvent = { heard.came($0) }
    return heard
  }
}

func request(_ method: Method = .options, callID: String = "a@example.org") -> Request {
  MessageBuilder.request(method, uri: Bytes("sip:bob@example.org".utf8), body: Bytes()) { builder in
    builder.append(.maxForwards, "70")
    builder.append(.from, "<sip:alice@example.org>;tag=al")
    builder.append(.to, "<sip:bob@example.org>")
    builder.append(.callID, Bytes(callID.utf8))
    builder.append(.cSeq) {
      $0.append("1 ")
      $0.append(contentsOf: method.bytes)
    }
    builder.append(.contact, "<sip:alice@127.0.0.1>")
  }
}

extension TransactionLayer.Event {
  var status: Int? {
    if case .response(let response, _) = self { return response.status }
    return nil
  }
}
