import Core
import Cryptography
import Endpoints
import HTTP
import Network
import Primitives
import Store

/// The ways to all other nodes.
@LoopActor
final class PeerLinks {
  private let node: NodeID
  private var tls: TLSContext
  private let limits: PeerLimits
  private let onEvent: @LoopActor (PeerEvent) -> Void
  private var links: [NodeID: PeerLink] = [:]
  /// The way to a peer fails since one of the two does not believe the other, or they have no TLS in common: said once per reason.
  var onUntrusted: (@LoopActor (TLSError) -> Void)?

  /// - Parameters:
  ///   - node: this node; its certificate names it.
  ///   - tls: a context that shows this node's certificate.
  ///   - onEvent: never called from within a call of this class.
  init(of node: NodeID, tls: TLSContext, limits: PeerLimits = .init(), onEvent: @escaping @LoopActor (PeerEvent) -> Void) {
    self.node = node
    self.tls = tls
    self.limits = limits
    self.onEvent = onEvent
  }

  /// For connections that are made from now on.
  func replace(tls: TLSContext) {
    self.tls = tls
    for link in links.values { link.tls = tls }
  }

  // MARK: Who is there

  /// These are the peers, and no others: what is under way to one that is not among them any more fails.
  func meet(_ members: [Member]) {
    var addresses: [NodeID: SocketAddress] = [:]
    for member in members.prefix(PeerLimits.peers) where member.holder.node != node {
      addresses[member.holder.node] = SocketAddress(member.peerAddress)
    }
    for (peer, link) in links where addresses[peer] != link.address {
      links[peer] = nil
      link.close()
    }
    for (peer, address) in addresses where links[peer] == nil { links[peer] = link(to: peer, at: address) }
  }

  private func link(to peer: NodeID, at address: SocketAddress) -> PeerLink {
    PeerLink(
      to: peer, at: address, from: node, tls: tls, limits: limits,
      onEvent: { [weak self] event in Loop.soon { self?.onEvent(event) } }, onUntrusted: { [weak self] why in self?.onUntrusted?(why) })
  }

  /// Meets them and speaks to each. What comes of it are events, of every peer one for each greeting: a peer without a usable address
  /// is lost.
  func greet(_ members: [Member], _ greeting: Greeting) {
    meet(members)
    for peer in members.lazy.map(\.holder.node) where peer != node {
      if let link = links[peer] { link.greet(greeting) } else { Loop.soon { [weak self] in self?.onEvent(.lost(peer)) } }
    }
  }

  /// Tries whether anybody listens there. A refusal is an event, and nothing else is.
  func knock(_ peer: NodeID) { links[peer]?.knock() }

  /// Ends every link.
  func close() { meet([]) }

  // MARK: Requests

  /// Lets the peer renew this node's lease. `completion` is called once, possibly from within this call; so are those below.
  func renew(_ holder: Holder, through peer: NodeID, _ completion: @escaping @LoopActor (Result<RenewalOutcome, PeerFailure>) -> Void) {
    guard let link = links[peer] else { return completion(.failure(.notProcessed)) }
    link.renew(holder, completion)
  }

  /// Passes a phone's request on. Giving up the call, where the phone has gone, gives it up at the peer too.
  /// - Parameter limit: for all of it; a waiting status request needs longer than the phone waits.
  @discardableResult
  func forward(
    _ request: ForwardedRequest, to peer: NodeID, within limit: Duration,
    _ completion: @escaping @LoopActor (Result<HTTPResponse, PeerFailure>) -> Void
  ) -> HTTPClientCall {
    ask(peer, .phone, request, for: ForwardedResponse.self, within: limit) { completion($0.map(\.response)) }
  }

  /// Passes a SIP request on to the home of its call.
  /// - Parameter limit: RFC 3261 §17.1.2.2: after 64·T1 nobody waits for a response any more.
  func pass(
    _ message: PassedMessage, to peer: NodeID, within limit: Duration = .seconds(32),
    _ completion: @escaping @LoopActor (Result<Bytes?, PeerFailure>) -> Void
  ) {
    _ = ask(peer, .sip, message, for: PassedAnswer.self, within: limit) { completion($0.map(\.response)) }
  }

  private func ask<Answer: RecordCodable>(
    _ peer: NodeID, _ route: PeerRoute, _ question: some RecordCodable, for answer: Answer.Type, within limit: Duration,
    _ completion: @escaping @LoopActor (Result<Answer, PeerFailure>) -> Void
  ) -> HTTPClientCall {
    guard let link = links[peer] else {
      completion(.failure(.notProcessed))
      return HTTPClientCall { true }
    }
    return link.ask(route, question, for: answer, within: limit, completion)
  }

  /// Tells the peer that these accounts have no owner now.
  func handed(_ accounts: [AccountID], to peer: NodeID) { links[peer]?.handed(accounts) }
}
