import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store

/// Serves the other nodes, over HTTP/2 with TLS on both sides: only a node with a certificate of the cluster's authority gets this far,
/// and it may speak only for itself.
@LoopActor
final class PeerService {
  private let server: HTTPServer

  /// - Parameters:
  ///   - address: port 0 takes a free one.
  ///   - tls: a context that asks for the client's certificate.
  init(listen address: SocketAddress, tls: TLSContext, limits: PeerLimits = .init(), handlers: PeerHandlers) throws(NetworkError) {
    let desk = PeerDesk(handlers: handlers)
    server = try HTTPServer(listen: address, tls: tls, limits: limits.server) { request, exchange in desk.serve(request, exchange) }
  }

  /// Where it listens; nil once it stops.
  var local: SocketAddress? { server.local }

  var connectionCount: Int { server.connectionCount }

  /// For connections that come from now on.
  func replace(tls: TLSContext) { server.replace(tls: tls) }

  /// Takes no more connections, lets what is under way finish, and ends the rest after `limit`.
  func stop(within limit: Duration) async { await server.stop(within: limit) }
}

/// Reads what a peer asks, and lets it be answered.
@LoopActor
private struct PeerDesk {
  let handlers: PeerHandlers

  nonisolated init(handlers: PeerHandlers) { self.handlers = handlers }

  func serve(_ request: HTTPRequest, _ exchange: HTTPExchange) {
    guard let name = request.fields[PeerRoute.nodeField], exchange.peerNames.contains(name), let peer = NodeID(name) else {
      return exchange.respond(HTTPResponse(status: 403))
    }
    guard request.method == "POST", let route = PeerRoute(path: request.path) else {
      return exchange.respond(HTTPResponse(status: 404))
    }
    do throws(RecordError) {
      try serve(route, try Record(request.body[...]), from: peer, exchange)
    } catch {
      exchange.respond(HTTPResponse(status: 400))
    }
  }

  private func serve(_ route: PeerRoute, _ record: Record, from peer: NodeID, _ exchange: HTTPExchange) throws(RecordError) {
    switch route {
    case .greet: greet(try Greeting(record), peer, exchange)
    case .renew: renew(try Holder(record), peer, exchange)
    case .phone: phone(try ForwardedRequest(record), peer, exchange)
    case .sip:
      handlers.sip(try PassedMessage(record), peer) { exchange.respond(PassedAnswer($0)) }
    case .handed:
      handlers.handed(try HandedAccounts(record).accounts, peer)
      exchange.respond(HTTPResponse(status: 204))
    }
  }

  private func greet(_ greeting: Greeting, _ peer: NodeID, _ exchange: HTTPExchange) {
    guard greeting.holder.map({ $0.node == peer }) ?? true else { return exchange.respond(HTTPResponse(status: 403)) }
    exchange.respond(handlers.greeted(greeting, peer))
  }

  private func renew(_ holder: Holder, _ peer: NodeID, _ exchange: HTTPExchange) {
    guard holder.node == peer else { return exchange.respond(HTTPResponse(status: 403)) }
    handlers.renew(holder) { exchange.respond(RenewalAnswer($0)) }
  }

  private func phone(_ request: ForwardedRequest, _ peer: NodeID, _ exchange: HTTPExchange) {
    let cancel = handlers.phone(request, peer) { response in
      guard let response else { return exchange.respond(HTTPResponse(status: 421)) }
      exchange.respond(ForwardedResponse(response))
    }
    if exchange.isOpen { exchange.onGone = cancel }
  }
}

extension HTTPExchange {
  fileprivate func respond(_ answer: some RecordCodable) { respond(HTTPResponse(status: 200, body: answer.record)) }
}
